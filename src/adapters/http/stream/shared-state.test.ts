import { expect, test } from 'vitest'
import { Stage, take } from '../../../../test/support/stream-stage.ts'
import { jsonWith, SharedState } from './shared-state.ts'

test('the state is made once for a crowd of readers with the same rights, and again after a change or a moment', async () => {
  const stage = new Stage()
  const shared = new SharedState(stage.log, stage.clock)
  let calls = 0
  let written = 0
  const make = async () => {
    calls += 1
    return { teams: { toJSON: () => (written += 1) } }
  }
  const crowd = async (rights: string) => {
    const states = await Promise.all(Array.from({ length: 300 }, () => shared.of(rights, make)))
    return states.map((state) => jsonWith({ turns: [] }, state))
  }
  expect(new Set([...(await crowd('owner')), ...(await crowd('owner'))])).toEqual(new Set(['{"turns":[],"teams":1}']))
  expect([calls, written]).toEqual([1, 1])
  await crowd('program')
  expect([calls, written]).toEqual([2, 2])
  stage.accepted('t')
  await crowd('owner')
  expect(calls).toBe(3)
  await stage.clock.advance(250)
  await crowd('owner')
  expect(calls).toBe(4)
})

test('a state that could not be made is made for the next reader', async () => {
  const stage = new Stage()
  const shared = new SharedState(stage.log, stage.clock)
  await expect(shared.of('owner', () => Promise.reject(new Error('too many calls')))).rejects.toThrow('too many calls')
  expect(await shared.of('owner', async () => ({}))).toEqual({})
  expect(jsonWith({ turns: [] }, {})).toBe('{"turns":[]}')
  expect((await take(stage.open())).map(({ type }) => type)).toEqual(['snapshot'])
})

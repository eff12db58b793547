import { expect, test } from 'vitest'
import { HandedRules } from './handed-rules.ts'

const none = { allow: [], ask: [], deny: [], skillCommands: true }
const one = { ...none, allow: ['Bash(x)'] }
const two = { ...none, allow: ['Bash(x)', 'Bash(y)'], ask: ['Edit(z)'], deny: ['Bash(y z)'] }
const closed = { ...none, deny: ['Bash(y z)'], skillCommands: false }

function handing() {
  const applied: { settings: unknown; settle: PromiseWithResolvers<unknown> }[] = []
  const rules = new HandedRules((settings) => {
    const settle = Promise.withResolvers<unknown>()
    applied.push({ settings, settle })
    return settle.promise
  })
  return { rules, applied }
}

test('rules are handed over as a whole, and only when they are others', async () => {
  const { rules, applied } = handing()
  expect(await rules.hand(none)).toBeUndefined()
  for (const lists of [one, one, two, closed, none]) {
    const taken = rules.hand(lists)
    applied.at(-1)?.settle.resolve({})
    expect(await taken).toBeUndefined()
  }
  const said = [one, two, closed, none].map(({ skillCommands, ...permissions }) => ({
    permissions,
    disableSkillShellExecution: skillCommands ? null : true,
  }))
  expect(applied.map(({ settings }) => settings)).toEqual(said)
  expect(await rules.inForce()).toBe(true)
})

test('a tool waits until all that are on their way have been taken', async () => {
  const { rules, applied } = handing()
  void rules.hand(one)
  void rules.hand(two)
  let isInForce: boolean | undefined
  const waiting = rules.inForce().then((inForce) => (isInForce = inForce))
  applied[1]!.settle.resolve({})
  await Promise.resolve()
  expect(isInForce).toBeUndefined()
  applied[0]!.settle.resolve({})
  expect(await waiting).toBe(true)
})

test('what is not taken at the start is missing; what is not taken later makes them stale for good', async () => {
  const { rules, applied } = handing()
  const first = rules.hand(one)
  applied[0]!.settle.reject(new Error('not today'))
  expect(await first).toContain('not today')
  expect([rules.isStale, await rules.inForce()]).toEqual([false, true])
  const second = rules.hand(none)
  applied[1]!.settle.reject(new Error('not today'))
  expect(await second).toContain('not today')
  const third = rules.hand(two)
  applied[2]!.settle.resolve({})
  await third
  expect([rules.isStale, await rules.inForce()]).toEqual([true, false])
})

test('a process of a former Iris gets its rules even if there are none, and is stale if it does not take them', async () => {
  const { rules, applied } = handing()
  rules.areUnknown()
  const taken = rules.hand(none)
  expect(applied).toHaveLength(1)
  applied[0]!.settle.reject(new Error('not today'))
  await taken
  expect(rules.isStale).toBe(true)
  void rules.hand(none)
  expect(applied).toHaveLength(1)
})

test('without what they allow, the rules still deny', () => {
  const { rules } = handing()
  expect(rules.strictest).toEqual(none)
  void rules.hand({ ...two, skillCommands: false })
  expect(rules.strictest).toEqual(closed)
})

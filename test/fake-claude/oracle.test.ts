import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { fakeClaude } from '../support/fake-claude.ts'
import { type OracleEntry, overlappingWriters } from '../support/oracle.ts'
import { fakeHost } from './fake-host.ts'

test('two processes that live on one session at once are found, even when neither does a thing', async () => {
  using fake = fakeClaude()
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  await host.turn('hello')
  await host.end()
  await using second = fakeHost(fake, ['--resume', id])
  await second.initialize()
  expect(overlappingWriters(fake.oracle())).toEqual([])
  await using third = fakeHost(fake, ['--resume', id])
  await third.initialize()
  expect(overlappingWriters(fake.oracle())).toMatchObject([{ session: id, pids: [third.child.pid, second.child.pid] }])
})

test('a killed process does not count as alive', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      flushDelayMs: 0,
      rules: [{ when: 'die', onceFile: file('dead'), steps: [{ delayMs: 20 }, { kill: 'SIGKILL' }] }],
    }),
  })
  const id = randomUUID()
  await using host = fakeHost(fake, ['--session-id', id])
  await host.turn('hello')
  host.message('die')
  await host.exited
  await using second = fakeHost(fake, ['--resume', id])
  expect(await second.turn('again')).toMatchObject({ result: 'echo: again' })
  expect(overlappingWriters(fake.oracle())).toEqual([])
})

test('a process that acts after another took its session is an overlap', () => {
  const session = 's'
  const entries: OracleEntry[] = [
    { at: 1, pid: 1, session, event: 'start', aliveWriters: [] },
    { at: 2, pid: 2, session, event: 'resume', aliveWriters: [] },
    { at: 3, pid: 1, session, event: 'answer', uuid: 'u', text: '', isError: false },
  ]
  expect(overlappingWriters(entries)).toEqual([{ session, pids: [2, 1], at: 3 }])
  expect(overlappingWriters(entries.slice(0, 2))).toEqual([])
})

test('the oracle tells how it was started, without values of the environment', async () => {
  using fake = fakeClaude()
  const secret = 'a-secret-value'
  await using host = fakeHost({ ...fake, env: { ...fake.env, SOME_TOKEN: secret } })
  const uuid = host.message('hello')
  await host.until((line) => line.type === 'result')
  expect(await host.end()).toBe(0)
  const [start, ...rest] = fake.oracle()
  expect(start).toMatchObject({ event: 'start', pid: host.child.pid })
  expect(start).toHaveProperty('environmentNames', expect.arrayContaining(['HOME', 'SOME_TOKEN']))
  expect(start).toHaveProperty('argv', expect.arrayContaining(['--session-id']))
  expect(JSON.stringify(start)).not.toContain(secret)
  expect(rest).toMatchObject([
    { event: 'message', uuid, ran: true },
    { event: 'answer', uuid },
    { event: 'exit', code: 0 },
  ])
})

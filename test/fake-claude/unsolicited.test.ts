import { expect, test } from 'vitest'
import { fakeClaude } from '../support/fake-claude.ts'
import { fakeHost } from './fake-host.ts'

test('a background task ends the turn at once and starts one that nobody asked for', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'start', steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('end') } }, { text: 'started' }] },
      ],
    }),
  })
  await using host = fakeHost(fake)
  expect(await host.turn('start')).toMatchObject({ result: 'started' })
  expect(host.lines.some((line) => line.subtype === 'task_started')).toBe(true)
  fake.open('end')
  await host.until(() => host.results.length === 2)
  expect(host.lines.some((line) => line.subtype === 'task_notification')).toBe(true)
  expect(host.results[1]).toMatchObject({ origin: { kind: 'task-notification' } })
  expect(host.results[1]?.['user_message_uuid']).toBeUndefined()
  expect(host.lines.filter((line) => line.isReplay === true)).toHaveLength(1)
})

test('a background task that ends while a tool runs is folded into the turn, with an echo of its own', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        {
          steps: [
            { backgroundTask: { id: 'b1', endsAfterFile: file('end') } },
            { tool: { name: 'Read', during: [{ touchFile: file('end') }, { waitForFile: file('go') }] } },
            { text: 'done' },
          ],
        },
      ],
    }),
  })
  await using host = fakeHost(fake)
  const uuid = host.message('work')
  await host.until((line) => line.subtype === 'task_notification')
  fake.open('go')
  await host.until((line) => line.type === 'result')
  const echoes = host.lines.filter((line) => line.isReplay === true)
  expect(echoes).toMatchObject([{ uuid }, { origin: { kind: 'task-notification' } }])
  expect(host.results).toMatchObject([{ result: 'done', user_message_uuids: [uuid] }])
  expect(await host.end()).toBe(0)
  expect(host.results).toHaveLength(1)
})

test('an unsolicited turn comes before the message that waits', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        {
          when: 'first',
          steps: [{ waitForFile: file('go') }, { unsolicitedTurn: { prompt: 'wakeup' } }, { text: 'one' }],
        },
      ],
    }),
  })
  await using host = fakeHost(fake)
  host.message('first')
  await host.until((line) => line.subtype === 'init')
  const second = host.message('second')
  await host.until((line) => line['command_uuid'] === second)
  fake.open('go')
  await host.until(() => host.results.length === 3)
  expect(host.results.map((line) => line['result'])).toEqual(['one', 'echo: wakeup', 'echo: second'])
})

test('an agent in the background reports in a turn of its own, and only then the session is at rest', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: '<task-id>a1</task-id>', steps: [{ text: 'found' }] },
        { when: 'look', steps: [{ backgroundAgent: { id: 'a1', endsAfterFile: file('a1') } }, { text: 'said' }] },
      ],
    }),
  })
  await using host = fakeHost(fake)
  expect(await host.turn('look')).toMatchObject({ result: 'said' })
  expect(host.lines.filter(({ state }) => state === 'idle')).toEqual([])
  fake.open('a1')
  await host.until(({ state }) => state === 'idle')
  expect(host.results[1]).toMatchObject({ result: 'found', origin: { kind: 'task-notification' } })
  const told = host.lines.flatMap(({ subtype }) => (/^(task|background)_/.test(String(subtype)) ? [subtype] : []))
  expect(told).toEqual([
    'background_tasks_changed',
    'task_started',
    'task_updated',
    'task_notification',
    'background_tasks_changed',
  ])
})

test('an interrupt at rest stops agents in the background, without a result', async () => {
  using fake = fakeClaude({
    script: (file) => ({
      rules: [
        { when: 'look', steps: [{ backgroundAgent: { id: 'a1', endsAfterFile: file('a1') } }, { text: 'said' }] },
      ],
    }),
  })
  await using host = fakeHost(fake)
  await host.turn('look')
  await host.ask({ subtype: 'interrupt' })
  await host.until(({ state }) => state === 'idle')
  expect(host.lines.find(({ subtype }) => subtype === 'task_updated')).toMatchObject({ patch: { status: 'killed' } })
  expect(host.results).toHaveLength(1)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { deferred } from '../../src/base/lib/deferred.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('a background task of Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  const release = deferred<void>()
  beforeAll(async () => {
    world = await pinWorld(version, async ({ conversation: { lastUserText, step } }) => {
      const waitFor = (name: string) => `while [ ! -e "${join(world.project, name)}" ]; do sleep 0.05; done`
      const background = (name: string) => ({
        name: 'Bash',
        input: { command: waitFor(name), run_in_background: true },
      })
      if (lastUserText === 'held') await release.promise
      if (lastUserText.startsWith('start') && step === 0) return { toolUses: [background(lastUserText)] }
      if (lastUserText === 'start and wait' && step === 1) {
        const command = `touch "${join(world.project, lastUserText)}"; sleep 1`
        return { toolUses: [{ name: 'Bash', input: { command } }] }
      }
      return { text: lastUserText.startsWith('<task-notification>') ? 'about the task' : `answer to ${lastUserText}` }
    })
    cli = world.start({ answer: pipeHost().answer })
    await cli.request(initialize)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const end = (name: string) => writeFileSync(join(world.project, name), '')
  const tasks = (lines: readonly Line[]) =>
    lines
      .filter(({ subtype }) => /^(task_|background_tasks)/.test(String(subtype)))
      .map(({ subtype }) => String(subtype))
  const echoes = (lines: readonly Line[]) => lines.filter(({ isReplay }) => isReplay).map(({ uuid }) => String(uuid))
  const resultsSince = (since: number, count: number) =>
    cli.until(() => {
      const results = cli.lines.slice(since).filter(({ type }) => String(type) === 'result')
      return results.length >= count ? results : undefined
    }, `${count} results`)
  const unsolicited = { is_error: false, result: 'about the task', origin: { kind: 'task-notification' } }

  test('its start is a line with the id of the tool use, and the turn ends before the task', async () => {
    const lines = await cli.turn('start 1')
    const starting = { '2.1.330': ['background_tasks_changed', 'task_started'], '2.1.197': ['task_started'] }[version]
    expect(tasks(lines)).toEqual(starting)
    expect(lines.find(({ subtype }) => String(subtype) === 'task_started')).toMatchObject({
      type: 'system',
      task_id: expect.any(String),
      tool_use_id: expect.stringMatching(/^toolu_/),
      task_type: 'local_bash',
    })
    expect(lines.at(-1)).toMatchObject({ result: 'answer to start 1' })
  })

  test('its end while nothing runs makes a turn that nobody asked for: a result with an origin and no echo', async () => {
    const since = cli.lines.length
    end('start 1')
    const [result] = await resultsSince(since, 1)
    const lines = cli.lines.slice(since)
    const ending = ['task_updated', 'task_notification']
    expect(tasks(lines)).toEqual({ '2.1.330': [...ending, 'background_tasks_changed'], '2.1.197': ending }[version])
    expect(lines.find(({ subtype }) => String(subtype) === 'task_updated')).toMatchObject({
      task_id: expect.any(String),
      patch: { status: 'completed' },
    })
    expect(lines.find(({ subtype }) => String(subtype) === 'task_notification')).toMatchObject({
      task_id: expect.any(String),
      tool_use_id: expect.stringMatching(/^toolu_/),
      status: 'completed',
      summary: expect.stringContaining('completed (exit code 0)'),
    })
    expect(echoes(lines)).toEqual([])
    expect(result).toMatchObject(unsolicited)
    expect(result).not.toHaveProperty('user_message_uuids')
  })

  test('its end while a message is being answered: the answer comes first, then the unsolicited result', async () => {
    await cli.turn('start 2')
    const since = cli.lines.length
    const uuid = cli.say('held')
    await eventually(
      () => world.model.requests.recent.at(-1)?.conversation.lastUserText === 'held',
      'the model is asked',
    )
    end('start 2')
    await cli.line({ subtype: 'task_updated' }, since)
    release.resolve()
    const results = await resultsSince(since, 2)
    expect(results).toMatchObject([{ result: 'answer to held' }, unsolicited])
    expect(results[0]).not.toHaveProperty('origin')
    expect(echoes(cli.lines.slice(since))).toEqual([uuid])
  })

  test('its end with a message written at once after it: two results, the unsolicited one first', async () => {
    await cli.turn('start 3')
    const since = cli.lines.length
    end('start 3')
    await cli.line({ subtype: 'task_notification' }, since)
    const uuid = cli.say('right after')
    const results = await resultsSince(since, 2)
    expect(results).toMatchObject([unsolicited, { result: 'answer to right after' }])
    const lines = cli.lines.slice(since)
    expect(echoes(lines)).toEqual([uuid])
    const echo = lines.findIndex(({ isReplay }) => isReplay)
    expect(echo).toBeGreaterThan(lines.indexOf(results[0] ?? {}))
    expect(echo).toBeLessThan(lines.indexOf(results[1] ?? {}))
  })

  test('its end between two steps of a turn is told inside that turn: a strange echo, and only the one result', async () => {
    const since = cli.lines.length
    const uuid = cli.say('start and wait')
    await resultsSince(since, 1)
    await cli.turn('next')
    const lines = cli.lines.slice(since)
    const results = lines.filter(({ type }) => String(type) === 'result')
    expect(results.map(({ result }) => String(result))).toEqual(['answer to start and wait', 'answer to next'])
    expect(echoes(lines)).toEqual([uuid, expect.any(String), expect.any(String)])
    const told = lines.filter(({ isReplay }) => isReplay)[1]
    expect(String(told?.uuid)).not.toBe(uuid)
    const origin = { '2.1.330': { kind: 'task-notification' }, '2.1.197': undefined }[version]
    expect(told?.origin?.kind).toBe(origin?.kind)
    // 2.1.197 gives no task_notification here.
    expect(tasks(lines)).toContain('task_updated')
  })
})

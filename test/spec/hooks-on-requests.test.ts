import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { hasText } from '../support/has-text.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const bash = (command: string): ModelAnswer => ({ toolUses: [{ name: 'Bash', input: { command } }] })

/** The tool has its effect, and then Claude Code is killed. */
const pays = 'echo paid >> effects && kill -9 $PPID'

let modelCalls = 0

const script: Script = async ({ conversation: { lastUserText, step }, signal }) => {
  const message = spoken(lastUserText).split('\n').at(-1)!
  if (message === 'pay' && step === 0) return { text: 'I pay now.', ...bash(pays) }
  if (message === 'deploy' && step === 0) return bash('echo ran >> effects')
  if (message === 'pause') return { text: 'One half, ', stopReason: 'pause_turn' }
  // The Stop hook sends it on, and it uses a tool each time.
  if (message === 'nag' || lastUserText.includes('once more')) {
    modelCalls += 1
    // After 25 answers, of two calls each.
    if (modelCalls === 51) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    const toolUses = [{ name: 'Read', input: { file_path: 'notes.txt' } }]
    return modelCalls % 2 === 0 ? { text: 'done' } : { toolUses }
  }
  return { text: 'no value here' }
}

const noRequests = `if grep -q 'iris-continuation'; then echo 'no requests' >&2; exit 2; fi`
const stopsRequests = `if grep -q 'iris-continuation'; then printf '%s' '{"continue":false,"stopReason":"no requests"}'; fi`
const decision = { hookEventName: 'PreToolUse', permissionDecision: 'defer' }

/** Teams by the hook that their project has. */
const hooks = {
  guarded: { UserPromptSubmit: noRequests },
  closed: { UserPromptSubmit: stopsRequests },
  deferring: { PreToolUse: `printf '%s' '${JSON.stringify({ hookSpecificOutput: decision })}'` },
  nagging: { Stop: `echo 'once more' >&2; exit 2` },
}

const free = { grantPermission: 'yes', dangerous: true }

describe.each(contractVersions)('a hook of the project, with Claude Code %s,', (version) => {
  let iris: TestIris
  const from = { fromTeam: 'frontend' }
  const effects = (team: string): string => readFileSync(join(iris.world.directory(team), 'effects'), 'utf8')
  const retry = (turnId: unknown): Promise<unknown> => callTool(iris, 'retry_message', { turnId })

  beforeAll(async () => {
    modelCalls = 0
    const teams = Object.fromEntries(['frontend', ...Object.keys(hooks)].map((name) => [name, free]))
    iris = await TestIris.start({ script, teams, settings: { claudePath: claudeBinary(version) } })
    for (const [team, events] of Object.entries(hooks)) {
      const settings = Object.entries(events).map(([event, command]) => [
        event,
        [{ matcher: '*', hooks: [{ type: 'command', command }] }],
      ])
      const directory = iris.world.directory(team)
      mkdirSync(join(directory, '.claude'), { recursive: true })
      writeFileSync(
        join(directory, '.claude', 'settings.json'),
        JSON.stringify({ hooks: Object.fromEntries(settings) }),
      )
      writeFileSync(join(directory, 'notes.txt'), 'nothing yet')
    }
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  test.each([
    ['guarded', /^Claude Code had ended .* hook blocked Iris's request to go on: "no requests"\./],
    ['closed', /^Claude Code had ended .* hook stopped the turn at Iris's request to go on: "no requests"\./],
  ])('that blocks the request to go on after a crash (%s) leaves the message in doubt', async (team, detail) => {
    const ended = await ask(iris, team, 'pay', from)
    expect(ended).toMatchObject({
      status: 'in_doubt',
      reason: 'interrupted',
      delivered: true,
      partialResponse: 'I pay now.',
      detail: expect.stringMatching(detail),
    })
    expect(ended['detail']).toContain('These tools may or may not have had their effect: Bash.')
    expect(ended['detail']).not.toContain('has not received')
    expect(await retry(ended.turnId)).toMatchObject({ error: { code: 'may_have_run' } })
    expect(effects(team)).toBe('paid\n')
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('that blocks the request to go on after a pause keeps the first half', async () => {
    const paused = await ask(iris, 'guarded', 'pause', { ...from, thread: 'pause' })
    expect(paused).toMatchObject({
      status: 'failed',
      reason: 'blocked_by_hook',
      delivered: true,
      partialResponse: 'One half, ',
      detail: expect.stringContaining("hook blocked Iris's request to go on"),
    })
    expect(paused['detail']).toContain('Then ask the agent in the same conversation to continue.')
  })

  test('that blocks the request for a value keeps what was said', async () => {
    const untyped = await ask(iris, 'guarded', 'count', {
      ...from,
      thread: 'value',
      responseSchema: { type: 'integer' },
    })
    expect(untyped).toMatchObject({
      status: 'failed',
      reason: 'blocked_by_hook',
      delivered: true,
      partialResponse: 'no value here',
      detail: expect.stringContaining("hook blocked Iris's request for the value"),
    })
  })

  test('that defers a tool makes Iris refuse to send the message again', async () => {
    const team = 'deferring'
    const deferred = await ask(iris, team, 'deploy', from)
    expect(deferred).toMatchObject({ status: 'failed', reason: 'tool_deferred' })
    expect(deferred['detail']).toContain('ask the agent in the same conversation whether it ran')
    rmSync(join(iris.world.directory(team), '.claude'), { recursive: true })
    await callTool(iris, 'team_sleep', { team, ...from })
    const refused = { code: 'may_have_run', message: expect.stringContaining('Bash') }
    expect(await retry(deferred.turnId)).toMatchObject({ error: refused })
    // Claude Code runs it on its own.
    await callTool(iris, 'team_wake', { team, ...from })
    await eventually(() => hasText(join(iris.world.directory(team), 'effects')), 'the deferred tool has run')
    expect(await retry(deferred.turnId)).toMatchObject({ error: refused })
    expect(effects(team)).toBe('ran\n')
  })

  test('that never lets the agent end is said after 25 times', async () => {
    const { turnId } = await ask(iris, 'nagging', 'nag', { ...from, timeout: -1 })
    const times = new Set<string>()
    await iris.event('turn-message', ({ message }) => {
      const text = JSON.stringify(message)
      // Each line has its own id.
      if (text.includes('Stop hook feedback')) times.add(text)
      return times.size === 25
    })
    const stuck = 'A Stop hook has made the agent continue 25 times'
    expect(await callTool(iris, 'message_status', { turnId, ...from })).toMatchObject({ status: 'async', stuck })
    await callTool(iris, 'session_cancel', { turnId, ...from })
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0, ...from })).toMatchObject({
      status: 'cancelled',
    })
  })
})

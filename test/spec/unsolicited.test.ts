import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { Report, Usage } from '../../src/base/protocol/turn.ts'
import type { Checkpoint } from '../../src/kernel/recover/parts.ts'
import type { Turn } from '../../src/kernel/turn/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { killClaude } from '../support/kill-claude.ts'
import { claudeBinary, claudeVersions, contractVersions } from '../support/real-claude.ts'
import { atRest } from '../support/rest.ts'
import { spoken } from '../support/world.ts'

/** Commands whose reports are cut off with their process, and commands whose reports do not end well. */
const cutOff = ['cut', 'wordless']
const unwell = ['paused', 'broken', 'mute', 'refused']
const yes = { grantPermission: 'yes', dangerous: true }
const from = { fromTeam: 'frontend' }

describe.each(contractVersions)('what Claude Code %s does without a message', (version) => {
  let iris: TestIris
  const written: string[] = []
  const bash = (command: string, more = {}) => ({ name: 'Bash', input: { command, ...more } })

  /** "start x" leaves a command running that reads the pipe x. What its end makes the agent do depends on x. */
  const script: Script = ({ conversation: { lastUserText, step }, body }) => {
    const [, job] = /job-(\w+)/.exec(lastUserText.startsWith('<task-notification>') ? lastUserText : '') ?? []
    const message = spoken(lastUserText)
    const [verb, name] = message.split(' ')
    if (job === 'busy' && step === 0)
      return { text: 'Looking at busy.', toolUses: [bash(`touch ${file('begun')}; cat ${file('gate')}`)] }
    if (job === 'cut' && step === 0)
      return {
        text: 'Looking at cut.',
        toolUses: [bash(`touch ${file('cutting')}; cat ${file('gate')}`)],
        inputTokens: 7000,
      }
    if (job === 'wordless') {
      writeFileSync(file('asked'), '')
      return { stall: 'silent' }
    }
    if (job === 'refused') return { text: 'half', stopReason: 'refusal' }
    if (job === 'paused') return { text: 'RE', stopReason: 'pause_turn' }
    if (job === 'broken') return { error: { status: 400, type: 'invalid_request_error', message: 'nope' } }
    if (job === 'mute' || lastUserText.includes('no visible output')) return { blocks: [{ thinking: 'hm' }] }
    if (lastUserText.includes('stopped by a safety classifier')) return { text: 'half', stopReason: 'refusal' }
    if (job === 'busy') return { text: JSON.stringify(body.messages).includes('while it works') ? 'JOINED' : 'ALONE' }
    if (job !== undefined) return { text: `the job ${job} FAILED` }
    if (verb === 'start' && step === 0)
      return { toolUses: [bash(`cat ${file(name!)}`, { description: `job-${name}`, run_in_background: true })] }
    if (verb === 'deploy' && step === 0) return { text: 'I will.', toolUses: [bash('touch deployed')] }
    return { text: `answer to ${message}` }
  }

  // Outside of the project: Iris itself opens files there for a moment.
  const file = (name: string) => join(iris.world.root, name)

  beforeAll(async () => {
    const settings = { claudePath: claudeBinary(version) }
    const at = (checkpoint: Checkpoint, turn: Turn) => {
      if (checkpoint === 'written') written.push(turn.facts.message)
    }
    iris = await TestIris.start({ script, at, teams: { frontend: {}, backend: yes, mobile: yes }, settings })
    execFileSync('mkfifo', ['plain', 'second', 'busy', 'gate', 'asleep', ...cutOff, ...unwell].map(file))
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const say = (message: string, to = 'backend') => ask(iris, to, message, from)
  const answered = (message: string) => ({ status: 'completed', response: `answer to ${message}` })
  /** Ends the command that reads the pipe. */
  const end = (name: string) => writeFile(file(name), '')
  const status = (turnId: unknown) => callTool(iris, 'message_status', { turnId, ...from })
  const nothingSaid = (why: string) => `[The background command ended; its agent said nothing about it${why}.]`
  const reported = (turnId: unknown) => iris.event('turn-reported', (event) => event.turnId === turnId)

  test('the end of a command is reported with the turn that started it, and once with the next answer', async () => {
    const first = await say('start plain')
    expect(first).toMatchObject(answered('start plain'))
    await end('plain')
    await reported(first.turnId)
    const reports = [{ turnId: first.turnId, kind: 'said', text: 'the job plain FAILED', at: expect.any(Number) }]
    const next = await say('hello')
    expect(next).toMatchObject({ ...answered('hello'), reports })
    expect(await say('again')).not.toHaveProperty('reports')
    const known = await status(first.turnId)
    expect(known).toMatchObject({ response: 'answer to start plain', reports })
    const tokens = ({ usage }: object & { usage?: unknown }) => {
      const { inputTokens, cacheWriteTokens, cacheReadTokens } = usage as Usage
      return inputTokens + cacheWriteTokens + cacheReadTokens
    }
    expect(tokens(known)).toBeGreaterThan(tokens(first))
    // A terminal collects its answers with message_status.
    const second = await say('start second')
    await end('second')
    await reported(second.turnId)
    const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'hello', ...from })
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0, ...from })).toMatchObject({
      reports: [{ turnId: second.turnId, kind: 'said', text: 'the job second FAILED' }],
    })
    expect(await status(turnId)).not.toHaveProperty('reports')
    const { costUsd } = iris.rows(`SELECT sum(usage ->> 'costUsd') AS costUsd FROM turns`)[0]!
    expect(iris.rows('SELECT sum(cost_usd) AS costUsd FROM team_sessions')[0]!['costUsd']).toBeCloseTo(
      Number(costUsd),
      6,
    )
    const { steps } = await callTool(iris, 'trace_turn', { turnId: first.turnId })
    expect(JSON.stringify(steps)).toContain('Its agent reported: the job plain FAILED')
  })

  test('a message that comes meanwhile is answered, and so is the one behind it; the tool is none of theirs', async () => {
    const first = await say('start busy')
    expect(first).toMatchObject(answered('start busy'))
    await end('busy')
    await eventually(() => existsSync(file('begun')), 'the tool of its own turn')
    const second = say('ask while it works')
    await eventually(() => written.includes('ask while it works'), 'the message is written')
    const third = say('and then')
    // The CLI has read the message.
    await atRest()
    await end('gate')
    const detail = expect.stringContaining('and joined that work. The usage covers both.')
    expect(await second).toMatchObject({ status: 'completed', response: 'JOINED', detail })
    expect(await third).toMatchObject(answered('and then'))
    expect(await third).not.toHaveProperty('detail')
    expect(iris.rows('SELECT name, turn FROM report_tools')).toEqual([{ name: 'Bash', turn: first.turnId }])
    const { turnId } = await second
    expect(iris.rows(`SELECT * FROM tool_starts WHERE turn = '${String(turnId)}'`)).toEqual([])
    expect(await status(first.turnId)).toMatchObject({ reports: [{ text: 'Looking at busy.' }] })
  })

  test('a command that ends with its process is listed as ended with the message that started it', async () => {
    const first = await say('start asleep')
    expect(first.background).toMatchObject([{ command: `cat ${file('asleep')}` }])
    await callTool(iris, 'team_sleep', { team: 'backend', force: true, ...from })
    await reported(first.turnId)
    // The older version gives the model another turn before it exits.
    const report = {
      '2.1.330': { kind: 'ended', text: `cat ${file('asleep')}` },
      '2.1.197': { kind: 'said', text: 'the job asleep FAILED' },
    }
    expect(await status(first.turnId)).toMatchObject({ reports: [{ turnId: first.turnId, ...report[version] }] })
    expect(await say('awake')).not.toHaveProperty('reports')
  })

  // Iris treats the differences after this point the same.
  if (!claudeVersions.includes(version)) return

  test('a report that is cut off with its process is given as far as it went; until then the team is busy', async () => {
    const first = await say('start cut')
    await end('cut')
    await eventually(() => existsSync(file('cutting')), 'the tool of its own turn')
    expect(await callTool(iris, 'session_wait', { team: 'backend', timeout: -1 })).toMatchObject({ status: 'busy' })
    const sleep = { team: 'backend', ...from }
    expect(await callTool(iris, 'team_sleep', sleep)).toMatchObject({ error: { code: 'process_busy' } })
    await callTool(iris, 'team_sleep', { ...sleep, force: true })
    const text = 'Looking at cut.\n\n[This report is incomplete: its process ended before that.]'
    const next = await say('after the cut')
    expect(next).toMatchObject({
      ...answered('after the cut'),
      reports: [{ turnId: first.turnId, kind: 'said', text }],
    })
    expect(iris.rows(`SELECT usage FROM reports WHERE text LIKE 'Looking at cut.%'`)[0]!['usage']).toBeTypeOf('string')
    const second = await say('start wordless')
    await end('wordless')
    await eventually(() => existsSync(file('asked')), 'the model is asked')
    killClaude(iris.world.root)
    await reported(second.turnId)
    expect(await status(second.turnId)).toMatchObject({
      reports: [{ kind: 'said', text: nothingSaid(': its process ended before that') }],
    })
  })

  test('a report that does not end well is given, with why it is not whole', async () => {
    const texts: Record<string, string> = {}
    for (const name of unwell) {
      const first = await say(`start ${name}`)
      await end(name)
      await reported(first.turnId)
      const { reports } = await status(first.turnId)
      texts[name] = (reports as Report[]).map(({ text }) => text).join()
    }
    expect(texts).toEqual({
      paused: 'RE\n\n[This report is incomplete: the API paused it.]',
      broken: nothingSaid(': the API failed (API Error: 400 nope)'),
      mute: nothingSaid(''),
      // The newer version asks the model to continue.
      refused: `${version === '2.1.330' ? 'half\n\n' : ''}half\n\n[This report is incomplete: the model declined to continue.]`,
    })
  })

  test('a tool that a hook defers: the turn did not complete, and what runs later answers no other message', async () => {
    const settings = join(iris.world.directory('mobile'), '.claude')
    const decision = { hookEventName: 'PreToolUse', permissionDecision: 'defer', permissionDecisionReason: 'later' }
    const command = `printf '%s' '${JSON.stringify({ hookSpecificOutput: decision })}'`
    mkdirSync(settings, { recursive: true })
    const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({ hooks }))
    const first = await say('deploy it', 'mobile')
    expect(first).toMatchObject({ status: 'failed', reason: 'tool_deferred', partialResponse: 'I will.' })
    rmSync(settings, { recursive: true })
    await callTool(iris, 'team_sleep', { team: 'mobile', ...from })
    // Claude Code runs the tool a moment after it has resumed; a message that comes before its turn ends joins that.
    await callTool(iris, 'team_wake', { team: 'mobile', ...from })
    await reported(first.turnId)
    expect(await say('second', 'mobile')).toMatchObject(answered('second'))
    expect(await say('third', 'mobile')).toMatchObject(answered('third'))
    // What the deferred tool led to, with the message for which it ran.
    expect(await status(first.turnId)).toMatchObject({ reports: [{ turnId: first.turnId, kind: 'said' }] })
  })
})

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, Script } from '../../src/app/demo/script.ts'
import { deferred } from '../../src/base/lib/deferred.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import { spoken, type WorldOptions } from '../support/world.ts'

const goesOn = 'Continue exactly where it stopped'
const uses = (command: string): ModelAnswer => ({ toolUses: [{ name: 'Bash', input: { command } }] })
const paused = (text: string): ModelAnswer => ({ text, stopReason: 'pause_turn' })

/** What the model says at each step of a message, by its first word; then the last again. */
const replies: Record<string, readonly ModelAnswer[]> = {
  fine: [{ text: 'fine' }],
  nothing: [{}],
  thinks: [{ thinking: 'Done, I think.' }],
  typed: [{ toolUses: [{ name: 'mcp__iris__return_value', input: { value: 42 } }] }, {}],
  silent: [uses('touch done'), {}],
  works: [{ text: 'Let me look.', ...uses('true') }, {}],
  pauses: [paused('One half, ')],
  cuts: [{ text: 'A long ', stopReason: 'max_tokens' }],
  breaks: [{ blocks: [{ text: 'PART-A.' }, { text: 'PART-B' }], breaks: 'end' }],
  refuses: [{ text: 'I would', stopReason: 'refusal' }],
}

const firstWord = (text: string): string => /^\w*/.exec(text)![0]

/** Requests of each message by which Iris asked to continue. */
const wentOn: string[] = []
let rest = deferred<void>()
let reached = deferred<void>()

const script: Script = async ({ conversation: { userTexts, lastUserText, allToolResults } }) => {
  const message = userTexts.map(spoken).findLast((text) => firstWord(text) in replies) ?? 'fine'
  if (lastUserText.includes(goesOn)) {
    wentOn.push(message)
    if (message === 'pauses twice') return paused('another, ')
    if (message !== 'pauses for a restart') return { text: 'and the other.' }
    reached.resolve()
    await rest.promise
  }
  if (lastUserText.includes('was interrupted before')) return { text: 'and the rest after a restart.' }
  const steps = replies[firstWord(message)]!
  return steps[Math.min(allToolResults.length, steps.length - 1)]!
}

/** Teams by the event whose hook their project has, and what it prints. */
const hooks = {
  blocking: { UserPromptSubmit: { decision: 'block', reason: 'no secrets here' } },
  closed: { UserPromptSubmit: { continue: false, stopReason: 'closed on Sundays' } },
  guarded: { PreToolUse: { continue: false, stopReason: 'not in this project' } },
  linted: { Stop: { decision: 'block', reason: 'the linter complains' } },
  final: { Stop: { continue: false, stopReason: 'enough for today' } },
}

const free = { grantPermission: 'yes', dangerous: true }

let iris: TestIris
const from = { fromTeam: 'frontend' }

/** Starts Iris for the tests of a group, with a hook in the project of each team that is named after one. */
function withIris(options: Pick<WorldOptions, 'claude' | 'settings'>): void {
  beforeAll(async () => {
    rest = deferred()
    reached = deferred()
    const teams = Object.fromEntries(['frontend', 'backend', ...Object.keys(hooks)].map((name) => [name, free]))
    iris = await TestIris.start({ ...options, script, teams })
    for (const [team, events] of Object.entries(hooks)) {
      const settings = Object.entries(events).map(([event, said]) => {
        const command = `printf '%s' '${JSON.stringify(said)}'`
        return [event, [{ matcher: '*', hooks: [{ type: 'command', command }] }]]
      })
      const directory = join(iris.world.directory(team), '.claude')
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'settings.json'), JSON.stringify({ hooks: Object.fromEntries(settings) }))
    }
  })
  afterAll(() => iris[Symbol.asyncDispose]())
}

describe.each(contractVersions)('a turn that Claude Code %s ends', (version) => {
  withIris({ settings: { claudePath: claudeBinary(version) } })

  test('in the middle of its reply is asked once to go on, and both halves are the answer', async () => {
    wentOn.length = 0
    const whole = await ask(iris, 'backend', 'pauses', from)
    expect(whole).toMatchObject({ status: 'completed', response: 'One half, and the other.' })
    const one = await ask(iris, 'backend', 'fine', from)
    const { outputTokens: both } = whole['usage'] as { outputTokens: number }
    expect(both).toBeGreaterThan((one['usage'] as { outputTokens: number }).outputTokens)
    const again = await ask(iris, 'backend', 'pauses twice', from)
    expect(again).toMatchObject({ status: 'failed', reason: 'paused', partialResponse: 'One half, another, ' })
    expect(again['detail']).toContain('Ask in the same conversation for the rest.')
    expect(wentOn).toEqual(['pauses', 'pauses twice'])
  })

  test('for good in the middle of its reply is cut, with all that was said', async () => {
    const cut = await ask(iris, 'backend', 'cuts', from)
    expect(cut).toMatchObject({
      status: 'failed',
      reason: 'cut',
      partialResponse: 'A long A long A long A long ',
      detail: expect.stringContaining('Ask in the same conversation for the rest, or for a shorter answer'),
    })
    // The newer version has asked three times for the rest; the older one takes what it has for an answer.
    const broken = await ask(iris, 'backend', 'breaks', from)
    expect(broken).toMatchObject({ status: 'failed', reason: 'cut', detail: expect.stringContaining('for the rest') })
    expect(broken['partialResponse']).toMatch(/^PART-A\./)
    expect(await ask(iris, 'backend', 'refuses', { ...from, thread: 'refusal' })).toMatchObject({
      status: 'failed',
      reason: 'model_refusal',
      detail: expect.stringContaining('The same message would be refused again'),
    })
  })

  test('before the agent has the message names the hook, and not its words as the answer', async () => {
    const blocked = await ask(iris, 'blocking', 'fine', from)
    expect(blocked).toMatchObject({ status: 'failed', reason: 'blocked_by_hook', delivered: false })
    expect(blocked['detail']).toMatch(
      /^A UserPromptSubmit hook blocked the message: "no secrets here"\. The agent has not/,
    )
    expect(blocked['detail']).toContain('The owner of the project finds the hook with /hooks in claude there')
    expect(blocked).not.toHaveProperty('response')
    expect(blocked).not.toHaveProperty('partialResponse')
    const closed = await ask(iris, 'closed', 'fine', from)
    expect(closed).toMatchObject({ status: 'failed', reason: 'stopped_by_hook', delivered: true })
    expect(closed['detail']).toContain('"closed on Sundays". The message is in the conversation')
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test.each(['nothing', 'thinks'])('without a word (%s) is completed, and says so', async (message) => {
    expect(await ask(iris, 'backend', message, from)).toMatchObject({
      status: 'completed',
      reason: 'no_answer',
      response: '',
      detail: expect.stringMatching(/^The agent ended its turn without saying anything\. It used no tool\./),
    })
  })

  test('in the middle of its reply keeps the first half when Iris restarts before the second', async () => {
    const { turnId } = await ask(iris, 'backend', 'pauses for a restart', { ...from, thread: 'restart', timeout: -1 })
    await reached.promise
    await iris.restart()
    rest.resolve()
    const ended = await callTool(iris, 'message_status', { turnId, timeout: 0, ...from })
    expect(ended).toMatchObject({ status: 'completed', response: 'One half, and the rest after a restart.' })
  })

  test('because a hook stopped it keeps what the agent had said', async () => {
    const stopped = await ask(iris, 'guarded', 'works', { ...from, raw: true })
    // What Iris asks for beside the answer is nobody else's.
    expect(JSON.stringify(stopped['rawMessages'])).not.toContain('hook_response')
    expect(stopped).toMatchObject({ status: 'failed', reason: 'stopped_by_hook', partialResponse: 'Let me look.' })
    expect(stopped['detail']).toMatch(
      /^A PreToolUse hook \(PreToolUse:Bash\) stopped the turn: "not in this project"\./,
    )
  })

  test('against a Stop hook is an answer, with what the hook said', async () => {
    expect(await ask(iris, 'final', 'fine', from)).toMatchObject({
      status: 'completed',
      response: 'fine',
      detail: 'A Stop hook of the project ended the turn after this answer: "enough for today".',
    })
    expect(await ask(iris, 'linted', 'fine', from)).toMatchObject({
      status: 'completed',
      response: 'fine',
      detail: expect.stringContaining(
        'A Stop hook of the project had asked the agent to continue: "the linter complains".',
      ),
    })
  })
})

describe.each(claudeVersions)('a turn that Claude Code %s ends without a problem', (version) => {
  withIris(eitherOf(version))

  test('without a word after its tools says what was done', async () => {
    const silent = await ask(iris, 'backend', 'silent', { ...from, thread: 'silent' })
    expect(silent).toMatchObject({ status: 'completed', reason: 'no_answer', response: '' })
    expect(silent['detail']).toContain('It used Bash touch done. Ask it in the same conversation what it did.')
    const ended = await ask(iris, 'backend', 'works', { ...from, thread: 'work' })
    expect(ended).toMatchObject({ status: 'completed', response: 'Let me look.' })
    expect(ended['detail']).toContain('The agent used a tool after it had said this.')
  })

  test('without a word, and with the value that was asked for, is answered', async () => {
    const responseSchema = { type: 'integer' }
    const typed = await ask(iris, 'backend', 'typed', { ...from, thread: 'typed', responseSchema })
    expect(typed).toMatchObject({ status: 'completed', value: 42, response: '' })
    expect(typed).not.toHaveProperty('reason')
  })
})

const spawnTimeout = 20_000

test.each(claudeVersions)('a SessionStart hook that hangs is named when %s does not start', async (version) => {
  const clock = new JumpingClock()
  const settings = { claudePath: claudeBinary(version), spawnTimeout }
  await using iris = await TestIris.start({ script, settings, clock, teams: { frontend: {}, backend: free } })
  const directory = iris.world.directory('backend')
  const hook = { type: 'command', command: 'touch "started-$$" && sleep 1000' }
  mkdirSync(join(directory, '.claude'))
  const hooks = { SessionStart: [{ matcher: '*', hooks: [hook] }] }
  writeFileSync(join(directory, '.claude', 'settings.json'), JSON.stringify({ hooks }))
  const asked = ask(iris, 'backend', 'fine', { fromTeam: 'frontend' })
  for (const starts of [1, 2]) {
    const hung = (): boolean => readdirSync(directory).filter((name) => name.startsWith('started-')).length === starts
    await eventually(hung, 'the hook hangs')
    await clock.jump(spawnTimeout, { while: 'busy' })
  }
  const { status, detail } = await asked
  expect(status).toBe('failed')
  // The older version tells of hooks only after the start.
  const isTold = version === '2.1.330'
  expect(String(detail).includes('A hook has not ended: SessionStart:startup.')).toBe(isTold)
  expect(detail).toMatch(/these programs, which are still running: .*touch "started-\$\$" && sleep 1000[.;]/)
  expect(detail).toContain('/hooks and /mcp in claude list them')
})

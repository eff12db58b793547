import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script as ModelScript } from '../../src/app/demo/script.ts'
import { answerMcp, CliDriver, type HostAnswers, type Line } from '../fake-claude/cli-driver.ts'
import { fakeHost } from '../fake-claude/fake-host.ts'
import { transcriptText } from '../fake-claude/transcript-files.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { pinWorld } from '../support/pin-world.ts'
import { claudeBinary, cliEnvironment } from '../support/real-claude.ts'

const version = '2.1.330'
const command = { command: 'echo once > written.txt', description: 'writes' }

const refusedAsTooLong = {
  error: { status: 400, type: 'invalid_request_error', message: 'prompt is too long: 2 tokens > 1 maximum' },
}

/** The same conversation for both: what a model says to the real one is what the fake plays. */
const model: ModelScript = ({ conversation }) => {
  if (conversation.lastUserText.includes('refused')) return refusedAsTooLong
  if (conversation.step > 0) return { text: 'used it' }
  if (conversation.lastUserText.includes('write')) return { text: 'so', toolUses: [{ name: 'Bash', input: command }] }
  if (conversation.lastUserText.includes('shout')) {
    return { text: 'so', toolUses: [{ name: 'mcp__iris__shout', input: { word: 'hi' } }] }
  }
  return { thinking: 'hm', text: 'hello' }
}
const script: Script = {
  rules: [
    { when: 'write', steps: [{ text: 'so' }, { tool: { name: 'Bash', input: command } }, { text: 'used it' }] },
    {
      when: 'shout',
      steps: [{ text: 'so' }, { mcpCall: { name: 'shout', arguments: { word: 'hi' } } }, { text: 'used it' }],
    },
    { steps: [{ thinking: 'hm' }, { text: 'hello' }] },
  ],
}

test.each([
  ['by its own script', { script }],
  ['after the model', { followsModel: true }],
])(
  'the fake prints and keeps the lines of the real one, in its order and with no field of its own, %s',
  async (_how, way) => {
    await using pair = await startBoth({}, way)
    for (const text of ['hello', 'write', 'shout']) {
      const [played, real] = await pair.map((host) => linesOfTurn(host, text))
      // The question of the hook races with the end of the streamed message.
      const compared = text === 'hello' ? () => true : (line: Line) => line.type !== 'stream_event'
      expect({ text, order: orderOf(played.filter(compared)) }).toEqual({ text, order: orderOf(real.filter(compared)) })
      expect({ text, beyond: fieldsBeyond(played, real) }).toEqual({ text, beyond: [] })
      expect({ text, result: resultOf(played) }).toEqual({ text, result: resultOf(real) })
    }
    expect(await pair.map((host) => host.end())).toEqual([0, 0])
    const [played, real] = await pair.map(async (_, home) => transcriptLines(home, pair.id))
    expect(fieldsBeyond(played, real)).toEqual([])
    expect(orderOf(played.filter(isSaid))).toEqual(orderOf(real.filter(isSaid)))
  },
)

test('the fake is refused as too long like the real one', async () => {
  await using pair = await startBoth({}, { followsModel: true })
  const [played, real] = await pair.map((host) => linesOfTurn(host, 'refused'))
  expect(orderOf(played)).toEqual(orderOf(real))
  expect(fieldsBeyond(played, real)).toEqual([])
  const [ended, reallyEnded] = [played, real].map((lines) => lines.find(({ type }) => type === 'result')!)
  for (const field of ['result', 'is_error', 'terminal_reason', 'api_error_status', 'subtype'])
    expect({ field, value: ended![field] }).toEqual({ field, value: reallyEnded![field] })
})

test('the fake is interrupted, told twice and cut off like the real one', async () => {
  await using pair = await startBoth({ mcp: (message) => (isCall(message) ? undefined : answerMcp(message)) })
  const uuid = randomUUID()
  const ends: ((host: CliDriver) => Promise<unknown>)[] = [
    async (host) => {
      host.message('shout', uuid)
      await host.until((line) => isCall(line.request?.['message']))
      await host.ask({ subtype: 'interrupt' })
      await host.until((line) => line['command_uuid'] === uuid && line['state'] === 'cancelled')
    },
    async (host) => {
      const first = host.lines.length
      host.message('shout', uuid)
      await host.until((line) => line.uuid === uuid && host.lines.indexOf(line) >= first)
    },
    async (host) => {
      const first = host.lines.length
      host.message('shout')
      await host.until((line) => isCall(line.request?.['message']) && host.lines.indexOf(line) >= first)
      expect(await host.end()).toBe(0)
    },
  ]
  for (const end of ends) {
    const [played, real] = await pair.map(async (host) => {
      const first = host.lines.length
      await end(host)
      return host.lines.slice(first).filter((line) => line.type !== 'control_response' && line.type !== 'stream_event')
    })
    expect(orderOf(played)).toEqual(orderOf(real))
    expect(fieldsBeyond(played, real)).toEqual([])
    expect(toolResults(played)).toEqual(toolResults(real))
  }
})

test('a command in the background, the turn that its end begins, and a message that joins that turn are the same lines', async () => {
  const wait = (name: string) => ({ command: `while [ ! -e ${name} ]; do sleep 0.02; done`, description: name })
  const inBackground = { ...wait('end'), run_in_background: true }
  const model: ModelScript = ({ conversation: { lastUserText, step }, body }) => {
    if (lastUserText.startsWith('<task-notification>') && step === 0)
      return { text: 'looking', toolUses: [{ name: 'Bash', input: wait('gate') }] }
    if (lastUserText.startsWith('<task-notification>'))
      return { text: JSON.stringify(body.messages).includes('join it') ? 'joined' : 'alone' }
    return step === 0 && lastUserText === 'begin'
      ? { toolUses: [{ name: 'Bash', input: inBackground }] }
      : { text: 'hello' }
  }
  const script = (file: (name: string) => string): Script => ({
    rules: [
      {
        when: 'task-notification',
        steps: [
          { text: 'looking' },
          { tool: { name: 'Bash', input: wait('gate'), during: [{ waitForFile: file('gate') }] } },
          { text: 'alone' },
        ],
      },
      { when: 'join', steps: [{ text: 'joined' }] },
      { when: 'begin', steps: [{ backgroundTask: { id: 'b1', endsAfterFile: file('end') } }, { text: 'hello' }] },
      { steps: [{ text: 'hello' }] },
    ],
  })
  const allowed = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }
  await using pair = await startBoth({ hook: () => allowed }, { script }, model)
  const uuids: string[] = []
  const [played, real] = await pair.map(async (host, _, open) => {
    const first = host.lines.length
    const toolOf = (asked: number) => () => host.lines.filter(isHook).length === asked
    host.message('begin')
    await host.until(toolOf(1))
    await host.until(() => host.results.length === 2)
    open('end')
    await host.until(toolOf(2))
    const uuid = host.message('join it')
    uuids.push(uuid)
    await host.until((line) => line['command_uuid'] === uuid)
    open('gate')
    await host.until(() => host.results.length === 3)
    return host.lines.slice(first).filter((line) => line.type !== 'control_response' && line.type !== 'stream_event')
  })
  expect(orderOf(played)).toEqual(orderOf(real))
  expect(fieldsBeyond(played, real)).toEqual([])
  const said = (lines: readonly Line[]) => lines.flatMap(({ type, result }) => (type === 'result' ? [result] : []))
  expect(said(played)).toEqual(said(real))
  expect(said(real)).toEqual(['hello', 'joined'])
  expect(await pair.map((host) => host.end())).toEqual([0, 0])
  // Recovery finds a message that joined a turn by this attachment.
  const joined = await pair.map(async (_, home) =>
    transcriptLines(home, pair.id).flatMap(({ attachment }) => {
      const { type, source_uuid: uuid } = (attachment ?? {}) as { type?: unknown; source_uuid?: unknown }
      return type === 'queued_command' ? [uuid === uuids.shift()] : []
    }),
  )
  expect(joined).toEqual([[true], [true]])
})

/** The fake and the real one in the same conversation, their first turn behind them: it is mixed with the MCP handshake. */
async function startBoth(
  answers: Partial<HostAnswers> = {},
  way: Parameters<typeof fakeClaude>[0] = { script },
  says = model,
) {
  const id = randomUUID()
  const fake = fakeClaude(way)
  const world = await pinWorld(version, says)
  const fakeOne = fakeHost(fake, ['--session-id', id], answers, { ANTHROPIC_BASE_URL: world.model.url })
  const realOne = new CliDriver({
    claudePath: claudeBinary(version),
    session: ['--session-id', id],
    cwd: world.project,
    env: { ...cliEnvironment({ version, home: world.home, modelUrl: world.model.url }), DISABLE_AUTO_COMPACT: '1' },
    answers,
  })
  for (const host of [fakeOne, realOne]) {
    await host.initialize()
    await linesOfTurn(host, 'hello')
  }
  return {
    id,
    /** `open` makes a file for which commands of this one wait. */
    async map<T>(ask: (host: CliDriver, home: string, open: (name: string) => void) => Promise<T>): Promise<[T, T]> {
      const open = (name: string) => writeFileSync(join(world.project, name), '')
      return [await ask(fakeOne, fakeOne.home, (name) => fake.open(name)), await ask(realOne, world.home, open)]
    },
    async [Symbol.asyncDispose]() {
      await fakeOne[Symbol.asyncDispose]()
      await realOne[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
      fake[Symbol.dispose]()
    },
  }
}

function isHook(line: Line): boolean {
  return line.request?.['subtype'] === 'hook_callback'
}

function isCall(message: unknown): boolean {
  return (message as { readonly method?: unknown } | undefined)?.method === 'tools/call'
}

function resultOf(lines: readonly Line[]): unknown {
  return lines.find((line) => line.type === 'result')?.['result']
}

/** What the model was told of its tools. */
function toolResults(lines: readonly Line[]): unknown[] {
  const used = lines.filter((line) => line['tool_use_result'] !== undefined)
  return used.map((line) =>
    (line['message'] as { content: { content: unknown }[] }).content.map(({ content }) => content),
  )
}

function transcriptLines(home: string, id: string): Line[] {
  const lines = transcriptText(home, id).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

function isSaid(line: Line): boolean {
  return line.type === 'user' || line.type === 'assistant'
}

/** Everything printed for one message, without the echoes of the host's own answers. */
async function linesOfTurn(host: CliDriver, text: string): Promise<Line[]> {
  const first = host.lines.length
  const uuid = host.message(text)
  const hasEnded = (line: Line): boolean => line['state'] === 'completed' || line['state'] === 'cancelled'
  await host.until((line) => line['command_uuid'] === uuid && hasEnded(line))
  return host.lines.slice(first).filter((line) => line.type !== 'control_response')
}

/** The state of the process comes between the turns, now before and now after the last line that is waited for. */
function ofTurn(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ subtype }) => subtype !== 'session_state_changed')
}

/** One word a line; how finely a text is streamed and thinking is counted does not count. */
function orderOf(lines: readonly Line[]): string[] {
  const words = ofTurn(lines)
    .map(kindOf)
    .filter((word) => word !== 'system thinking_tokens')
  return words.filter((word, index) => word !== words[index - 1] || !word.endsWith('content_block_delta'))
}

function kindOf(line: Line): string {
  const event = line['event'] as Line | undefined
  const details = [event?.type, line.subtype, line['state'], line.request?.['subtype']]
  const echo = line.isReplay === true ? ['echo'] : []
  return [line.type, details.find((detail) => typeof detail === 'string'), ...echo]
    .filter((word) => word !== undefined)
    .join(' ')
}

/** Fields that the fake has and the real one lacks, by kind of line. */
function fieldsBeyond(played: readonly Line[], real: readonly Line[]): string[] {
  const known = new Set(real.flatMap(fieldsOf))
  return [...new Set(played.flatMap(fieldsOf))].filter((field) => !known.has(field))
}

function fieldsOf(line: Line): string[] {
  return pathsOf(line).map((path) => `${kindOf(line)}: ${path}`)
}

/** Names in the order of depth; an array's entries count as one, so do the models of `modelUsage`. */
function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(pathsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const entry = key === 'modelUsage' ? Object.values(inner as object) : inner
    return [key, ...pathsOf(entry).map((path) => `${key}.${path}`)]
  })
}

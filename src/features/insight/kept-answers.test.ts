import { expect, test } from 'vitest'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import { instructionsOf } from './instructions.ts'
import { KeptAnswers, type KeptAnswersParts } from './kept-answers.ts'

const question = {
  pair: { from: 'a', to: 'b', thread: 'main' },
  role: undefined,
  message: 'x',
  responseSchema: undefined,
  selfContained: true,
}

const ended = ['one', 'two'].map((turnId) => ({ type: 'turn-settled', turnId, reason: null }))
interface Conversation {
  /** The tools that it used, and the files that the project does not have. */
  readonly tools?: readonly string[]
  readonly missing?: readonly string[]
  readonly hasOtherModel?: boolean
}

/** The turns whose answers are kept, of those that were steered and those that were not. */
async function kept(
  events: readonly { type: string; turnId: string }[],
  { tools = [], missing = [], hasOtherModel = false }: Conversation = {},
): Promise<string[]> {
  const turns: string[] = []
  const project = {
    fileStates: async (names: string[]) => ({
      head: undefined,
      files: names.map((name) => (missing.includes(name) ? undefined : { name, hash: 'same' })),
    }),
    lastChange: async () => 0,
    readText: async () => ({ kind: 'absent' }),
  }
  const parts = {
    rows: {
      add: ({ turn }: { turn: string }) => turns.push(turn),
      hasOtherModel: () => hasOtherModel,
      modelOf: () => null,
      toolsOfConversation: () => tools.map((name) => ({ name, inputShort: 'src/earlier.ts' })),
    },
    clock: { now: () => 1 },
    log: { info: () => {} },
    publish: () => {},
    machines: {
      of: () => ({
        project,
        claude: { find: async () => undefined, path: (names: string[]) => `/claude/${names.join('/')}` },
      }),
    },
    config: () => ({ teams: new Map([['b', { realPath: '/projects/b' }]]), roles: new Map(), settings: {} }),
  } as unknown as KeptAnswersParts
  const answers = new KeptAnswers(parts)
  answers.take({ type: 'process-spawned', sessionId: 'main', at: 1, readyMs: 0 } as PublishedEvent)
  for (const turnId of ['one', 'two']) answers.watch(turnId, question)
  for (const event of events)
    answers.take({ ...event, to: 'b', sessionId: 'main', outcome: 'completed' } as unknown as PublishedEvent)
  await answers.noted()
  return turns
}

test('the answer of a turn that another message has joined is not kept: it answers both', async () => {
  expect(await kept(ended)).toEqual(['one', 'two'])
  expect(await kept([{ type: 'turn-steered', turnId: 'one' }, ...ended])).toEqual(['two'])
})

test.each([
  'Bash',
  'Grep',
  'Glob',
  'Edit',
  'Agent',
  'Skill',
  'WebFetch',
  'WebSearch',
  'mcp__github__get_issue',
  'mcp__iris__send_message',
  'mcp__iris__message_status',
])('no answer is kept in a conversation that used %s: nobody knows what was read', async (tool) => {
  expect(await kept(ended, { tools: ['Read', tool] })).toEqual([])
})

test('an answer is kept after files were read and a value was given, unless a file is not known or another model answered', async () => {
  const tools = ['Read', 'mcp__iris__return_value']
  expect(await kept(ended, { tools })).toEqual(['one', 'two'])
  expect(await kept(ended, { tools, missing: ['src/earlier.ts'] })).toEqual([])
  expect(await kept(ended, { tools, hasOtherModel: true })).toEqual([])
})

const minute = 60_000
const midnight = new Date(2026, 10, 28).getTime()

/** Whether an answer of 23:59 is given again at this time, in a conversation with these lines. */
async function isGiven(at: number, of: Partial<typeof question>, ...lines: object[]): Promise<boolean> {
  const text = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  const claude = {
    findBelow: async () => ({ files: [{ names: ['projects', 'p', 's.jsonl'], size: text.length }], problems: [] }),
    read: async () => text,
    find: async () => undefined,
    path: (names: string[]) => `/claude/${names.join('/')}`,
  }
  const project = {
    fileStates: async () => ({ head: undefined, files: [] }),
    readText: async () => ({ kind: 'absent' }),
  }
  const instructions = await instructionsOf({ project, claude } as unknown as Machine, '/projects/b', [])
  const files = instructions!.files.map(([name, hash]) => [`instructions:${name}`, hash])
  const row = { turn: 'kept', sessionId: 's', head: null, files, notedAt: midnight - minute }
  const answers = new KeptAnswers({
    rows: { newest: () => row, modelOf: () => null, isToldSince: () => false, lastDelivery: () => 'delivery' },
    clock: { now: () => at, after: () => () => {} },
    log: { info: () => {} },
    publish: () => {},
    machines: { of: () => ({ project, claude }) },
    config: () => ({ teams: new Map([['b', { realPath: '/projects/b' }]]), roles: new Map(), settings: {} }),
  } as unknown as KeptAnswersParts)
  return (await answers.find({ ...question, ...of })) !== undefined
}

const asked = { type: 'user', uuid: 'delivery', message: { content: 'x' } }
const tool = { type: 'user', uuid: 'tool', message: { content: [{ type: 'tool_result', content: 'read' }] } }
const answer = { type: 'assistant', uuid: 'answer', message: { content: [{ type: 'text', text: 'y' }] } }
const more = { type: 'user', uuid: 'more', message: { content: 'Forget it.' } }

test('an answer that relies on its conversation is given again on the same day, while it is the last thing said', async () => {
  const relying = { selfContained: false }
  const last = [asked, tool, answer, { type: 'last-prompt' }]
  expect(await isGiven(midnight - 1, relying, ...last)).toBe(true)
  expect(await isGiven(midnight + 1, relying, ...last)).toBe(false)
  expect(await isGiven(midnight - 1, relying, ...last, more)).toBe(false)
  expect(await isGiven(midnight - 1, relying, ...last, { ...answer, uuid: 'b' }, more, answer)).toBe(false)
  expect(await isGiven(midnight - 1, relying, asked)).toBe(false)
  expect(await isGiven(midnight - 1, relying)).toBe(false)
  expect(await isGiven(midnight + 7 * 1440 * minute, {}, ...last, more)).toBe(true)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { ownFile } from '../../base/lib/byte-source.ts'
import { judgeLines, placeOf, transcriptHolds } from './transcript.ts'

type Block = Record<string, unknown>

const message = (uuid: string, text = '<iris-message from="frontend">\nhello\n</iris-message>'): object => ({
  type: 'user',
  uuid,
  message: { role: 'user', content: [{ type: 'text', text }] },
})
const says = (id: string, block: Block, stop_reason: string | null = null): object => ({
  type: 'assistant',
  message: { id, content: [block], stop_reason },
})
const text = (words: string): Block => ({ type: 'text', text: words })
const uses = (id: string, name = 'Bash'): Block => ({ type: 'tool_use', id, name, input: {} })
const gives = (id: string, content: unknown = 'done', more: object = {}): object => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
})

function judge(...entries: (object | string)[]) {
  const texts = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
  return judgeLines(texts, 'u1')
}

test('a delivery of which nothing stands there is absent', () => {
  expect(judge()).toEqual({ kind: 'absent' })
  expect(judge(message('u2'), says('m1', text('answer to another'), 'end_turn'))).toEqual({ kind: 'absent' })
})

describe('answered is a delivery', () => {
  test('whose message ended its turn', () => {
    expect(judge(message('u1'), says('m1', text('forty-two'), 'end_turn'))).toEqual({
      kind: 'answered',
      answer: 'forty-two',
    })
  })

  test('with the text of the last message only, all its blocks together', () => {
    const entries = [
      message('u1'),
      says('m1', text('Let me look.'), 'tool_use'),
      says('m1', uses('t1'), 'tool_use'),
      gives('t1'),
      says('m2', { type: 'thinking', thinking: 'hm' }, 'end_turn'),
      says('m2', text('forty-'), 'end_turn'),
      says('m2', text('two'), 'end_turn'),
    ]
    expect(judge(...entries)).toMatchObject({ kind: 'answered', answer: 'forty-two' })
  })

  test('that a stop sequence ended', () => {
    expect(judge(message('u1'), says('m1', text('forty-two'), 'stop_sequence'))).toMatchObject({ kind: 'answered' })
  })

  test('that Claude Code reopened, as after the feedback of a hook or a broken stream, only by what follows', () => {
    const says42 = says('m1', text('forty-two'), 'end_turn')
    const cuts = {
      'Stop hook feedback:\n[lint]: run the linter\n': 'forty-two\n\nThe linter is content.',
      'Your response above was cut off mid-stream. Resume directly from where it stops':
        'forty-twoThe linter is content.',
    }
    for (const [words, answer] of Object.entries(cuts)) {
      const meta = { type: 'user', isMeta: true, message: { role: 'user', content: words } }
      expect(judge(message('u1'), says42, meta)).toMatchObject({ kind: 'unfinished', partial: 'forty-two' })
      const rest = says('m2', text('The linter is content.'), 'end_turn')
      expect(judge(message('u1'), says42, meta, rest)).toMatchObject({ kind: 'answered', answer })
    }
  })

  test('but not if an error of the API followed', () => {
    const error = {
      type: 'assistant',
      isApiErrorMessage: true,
      message: { model: '<synthetic>', content: [text('API Error: Connection closed')], stop_reason: 'stop_sequence' },
    }
    const entries = [message('u1'), says('m1', text('PART-A.'), 'end_turn'), error]
    expect(judge(...entries)).toMatchObject({ kind: 'unfinished', partial: 'PART-A.' })
  })

  test('whatever comes after its answer', () => {
    const answer = [message('u1'), says('m1', text('forty-two'), 'end_turn')]
    const next = [message('u2'), says('m2', text('another'), 'end_turn')]
    const own = [says('m3', text('of the background'), 'end_turn')]
    expect(judge(...answer, ...next)).toEqual({ kind: 'answered', answer: 'forty-two' })
    expect(judge(...answer, ...own)).toEqual({ kind: 'answered', answer: 'forty-two' })
    expect(judge(...answer, '{"type":"user","uu')).toEqual({ kind: 'answered', answer: 'forty-two' })
  })

  test('that joined a turn of the CLI’s own', () => {
    const attachment = { type: 'queued_command', prompt: 'hello', source_uuid: 'u1' }
    const own = [
      message('n1', '<task-notification>'),
      says('m1', text('Looking.')),
      says('m1', uses('t1')),
      gives('t1'),
    ]
    const answer = says('m2', text('forty-two'), 'end_turn')
    expect(judge(...own, { type: 'attachment', uuid: 'a1', attachment }, answer)).toEqual({
      kind: 'answered',
      answer: 'forty-two',
    })
  })

  test('between lines of no meaning, garbage and a subagent’s talk', () => {
    const entries = [
      { type: 'summary', summary: 'x' },
      message('u1'),
      'garbage',
      { ...says('m9', text('side'), 'end_turn'), isSidechain: true },
      { type: 'attachment', uuid: 'a1' },
      says('m1', text('forty-two'), 'end_turn'),
    ]
    expect(judge(...entries)).toEqual({ kind: 'answered', answer: 'forty-two' })
  })

  test('though a tool’s honest output speaks of closed streams', () => {
    const entries = [
      message('u1'),
      says('m1', uses('t1'), 'tool_use'),
      gives('t1', 'log: stream closed by peer', { is_error: false }),
      says('m2', text('I read the log.'), 'end_turn'),
    ]
    expect(judge(...entries)).toEqual({ kind: 'answered', answer: 'I read the log.' })
  })
})

describe('unfinished is a delivery', () => {
  test('of which only the message stands there', () => {
    expect(judge(message('u1'))).toEqual({
      kind: 'unfinished',
      partial: '',
      openTools: [],
      knownTools: [],
      unreported: [],
    })
  })

  test('that was cut off in a tool: text so far, and the tools without a result', () => {
    const entries = [
      message('u1'),
      says('m1', text('First. '), 'tool_use'),
      says('m1', uses('t1', 'Read'), 'tool_use'),
      gives('t1'),
      says('m2', text('Then. '), 'tool_use'),
      says('m2', uses('t2', 'Bash'), 'tool_use'),
      says('m2', uses('t3', 'Edit'), 'tool_use'),
    ]
    expect(judge(...entries)).toMatchObject({
      kind: 'unfinished',
      partial: 'First. \n\nThen. ',
      openTools: ['Bash', 'Edit'],
    })
  })

  test('that was interrupted, or whose request the API refused', () => {
    expect(judge(message('u1'), says('m1', text('forty'), null))).toMatchObject({
      kind: 'unfinished',
      partial: 'forty',
    })
    const refused = {
      type: 'assistant',
      isApiErrorMessage: true,
      message: { model: '<synthetic>', content: [text('API Error: 500')], stop_reason: 'stop_sequence' },
    }
    expect(judge(message('u1'), refused)).toMatchObject({ kind: 'unfinished' })
  })

  test.each([
    ['a call', { is_error: true }, 'Tool permission request failed: stream closed before response received', {}],
    ['a hook', { is_error: true }, "The user doesn't want to take this action right now. STOP.", {}],
    ['a question', {}, 'interrupted', { toolDenialKind: 'interrupted' }],
  ])('whose answer was made after the pipe of %s broke: that is no answer', (_, flag, words, onLine) => {
    const entries = [
      message('u1'),
      says('m1', uses('t1', 'mcp__iris__send_message'), 'tool_use'),
      { ...gives('t1', words, flag), ...onLine },
      says('m2', text('I could not ask.'), 'end_turn'),
    ]
    expect(judge(...entries)).toMatchObject({ kind: 'unfinished', openTools: ['mcp__iris__send_message'] })
  })

  test('that the next delivery follows: what is said then is for that one', () => {
    const next = message('u2', '<iris-continuation>\ngo on\n</iris-continuation>')
    expect(judge(message('u1'), next, says('m1', text('forty-two'), 'end_turn'))).toMatchObject({ kind: 'unfinished' })
  })
})

test('a uuid is found wherever it stands, also where many megabytes follow it and across the edge of a piece', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'long.jsonl')
  const uuid = crypto.randomUUID()
  const mark = `"uuid":"${uuid}"`
  const piece = 4 * 1024 * 1024
  for (const behind of [0, piece - 20, piece, 2 * piece + 5]) {
    writeFileSync(path, `{"type":"user"}\n${mark}${'x'.repeat(behind)}`)
    expect(await transcriptHolds(await ownFile(path), uuid)).toBe(true)
  }
  expect(await transcriptHolds(await ownFile(path), crypto.randomUUID())).toBe(false)
})

test('a compaction in the middle of a turn is part of it, one after its answer takes nothing away', () => {
  const boundary = { type: 'system', subtype: 'compact_boundary' }
  const summary = {
    type: 'user',
    isCompactSummary: true,
    message: { role: 'user', content: 'This session is being …' },
  }
  const begun = [message('u1'), says('m1', uses('t1')), gives('t1'), boundary, summary]
  expect(judge(...begun)).toMatchObject({ kind: 'unfinished', openTools: [] })
  const answered = [...begun, says('m2', text('done'), 'end_turn')]
  expect(judge(...answered)).toEqual({ kind: 'answered', answer: 'done' })
  expect(judge(...answered, boundary, summary)).toEqual({ kind: 'answered', answer: 'done' })
})

test.each([
  ['its beginning', 0.01, 4],
  ['its middle', 0.5, 4],
  ['its end', 1, 4],
  ['elsewhere than it is', 0.7, 48],
])('a uuid is sought from where it is about, and from there in both directions: from %s', async (what, share, most) => {
  const MiB = 2 ** 20
  const size = 48 * MiB
  const uuid = crypto.randomUUID()
  // On the border of two pieces, searched from both ends.
  const at =
    what === 'elsewhere than it is' ? 4 * MiB - 20 : Math.max(0, Math.min(Math.floor(size * share), size - 100))
  const bytes = Buffer.alloc(size, '.')
  bytes.write(`"uuid":"${uuid}"`, at)
  let read = 0
  const file = {
    size,
    read: async (from: number, length: number) => {
      read += length
      return bytes.subarray(from, from + length)
    },
  }
  expect(await placeOf(file, uuid, Math.floor(size * share))).toBe(at)
  expect(read).toBeLessThanOrEqual(2 * most * MiB + 1000)
  expect(await placeOf(file, uuid)).toBe(at)
  expect(await placeOf(file, crypto.randomUUID(), Math.floor(size * share))).toBeUndefined()
})

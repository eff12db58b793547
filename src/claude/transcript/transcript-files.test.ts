import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { init, messagesSoFar, newFiles, said, session, sessionId, success } from '../../../test/support/transcripts.ts'
import type { Line } from '../../base/agent/line.ts'

test('two turns with a restart between them make the log of the seed', async () => {
  const { files, open, until, log } = await newFiles()
  const first = files.begin(session, { prompt: 'Remember this key: TEST_KEY_123', resumed: false })
  await until('30.123')
  first.line(init)
  first.line({ type: 'user', isReplay: true, message: { content: 'Remember this key: TEST_KEY_123' } })
  first.line({ type: 'stream_event', event: { delta: { type: 'text_delta', text: 'noted' } } })
  first.line(said("I've noted the key TEST_KEY_123"))
  await until('30.124')
  first.end(success)
  await files.close()

  await until('48.974')
  const later = open()
  const second = later.begin(session, { prompt: 'What was the key I gave you?', resumed: true })
  await until('50.456')
  second.line(said('TEST_KEY_123'))
  await until('50.457')
  second.end(success)
  await later.close()

  expect(log()).toBe(`[2025-09-11T22:05:28.591Z] SESSION NEW:
Agent: backend-agent
Session ID: a7038563-fdba-49e4-bf96-f80bba9e8472
Claude Code Session ID: a7038563-fdba-49e4-bf96-f80bba9e8472

[2025-09-11T22:05:28.591Z] USER PROMPT:
Remember this key: TEST_KEY_123

[2025-09-11T22:05:30.123Z] ASSISTANT:
I've noted the key TEST_KEY_123

[2025-09-11T22:05:30.124Z] SESSION COMPLETED:
Status: success

=== Session Continued ===
Continued at: 2025-09-11T22:05:48.974Z

[2025-09-11T22:05:48.974Z] SESSION RESUMED:
Agent: backend-agent
Session ID: a7038563-fdba-49e4-bf96-f80bba9e8472

[2025-09-11T22:05:48.974Z] USER PROMPT:
What was the key I gave you?

[2025-09-11T22:05:50.456Z] ASSISTANT:
TEST_KEY_123

[2025-09-11T22:05:50.457Z] SESSION COMPLETED:
Status: success

`)
})

test('conversation.json holds every line of the CLI over a restart, a message a line', async () => {
  const { files, open, until, at } = await newFiles()
  const event: Line = { type: 'stream_event', event: { type: 'message_start', text: 'ä\u2028\n"' } }
  const first = files.begin(session, { prompt: 'x', resumed: false })
  for (const line of [init, event]) first.line(line)
  await files.close()
  await until('57.019')
  const later = open()
  later.begin(session, { prompt: 'y', resumed: true }).line(said('z'))
  await later.close()
  expect(readFileSync(at('conversation.json'), 'utf8')).toBe(`{
  "sessionId": "a7038563-fdba-49e4-bf96-f80bba9e8472",
  "agentName": "backend-agent",
  "from": "frontend",
  "to": "backend",
  "thread": "main",
  "messages": [
    {"type":"system","subtype":"init","session_id":"${sessionId}","uuid":"u-1","tools":["Read"]},
    {"type":"stream_event","event":{"type":"message_start","text":"ä\u2028\\n\\""}},
    {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"z"}]}}
  ],
  "createdAt": "2025-09-11T22:05:28.591Z",
  "lastUpdated": "2025-09-11T22:05:57.019Z"
}
`)
})

test('lines are gathered, and on disk after a moment without an end of the turn', async () => {
  const { files, clock, at, log, conversation } = await newFiles()
  const turn = files.begin(session, { prompt: 'x', resumed: false })
  for (let number = 0; number < 50; number++) turn.line({ type: 'system', number })
  expect(() => statSync(at('conversation.json'))).toThrow('ENOENT')
  expect(clock.pending).toBe(2)
  await clock.advance(500)
  await eventually(() => statSync(at('conversation.json'), { throwIfNoEntry: false })?.size, 'the lines are there')
  await files.close()
  expect(conversation().messages).toHaveLength(50)
  expect(log()).toContain('USER PROMPT:\nx\n')
})

test('a session writes on from where it was when it has been idle meanwhile', async () => {
  const { files, clock, conversation, at } = await newFiles()
  const turn = files.begin(session, { prompt: 'x', resumed: false })
  for (const number of [1, 2, 3]) {
    turn.line({ type: 'system', number })
    // The file is seen before its write has ended; only then is the timer of the next write set.
    await eventually(async () => {
      await clock.advance(500)
      return messagesSoFar(at('conversation.json')) === number
    }, 'the line is there')
  }
  await files.close()
  expect(conversation().messages.map((line: Line) => line['number'])).toEqual([1, 2, 3])
})

describe('what was deleted meanwhile is made again with what comes', () => {
  test.each([['stream.log'], ['conversation.json'], ['.']])('%s', async (name) => {
    const { files, open, at, log, conversation, troubles } = await newFiles()
    files.begin(session, { prompt: 'first', resumed: false }).line(said('one'))
    await files.close()
    rmSync(at(name), { recursive: true })
    const later = open()
    later.begin(session, { prompt: 'second', resumed: true }).line(said('two'))
    await later.close()
    const texts = conversation().messages.map((line: Line) => JSON.stringify(line).match(/one|two/)?.[0])
    expect(texts).toEqual(name === 'stream.log' ? ['one', 'two'] : ['two'])
    expect(conversation().createdAt).toBe('2025-09-11T22:05:28.591Z')
    expect(log().startsWith('=== Session Continued ===')).toBe(name !== 'conversation.json')
    expect(log()).toContain('second')
    expect(troubles).toEqual([])
  })
})

test('only their owner may read them, whatever the umask and whatever they were', async () => {
  const { files, open, directory, at } = await newFiles()
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  files.begin(session, { prompt: 'x', resumed: false }).line(init)
  await files.close()
  const modes = () =>
    [directory, at('.'), at('stream.log'), at('conversation.json')].map((path) => statSync(path).mode & 0o777)
  expect(modes()).toEqual([0o700, 0o700, 0o600, 0o600])
  chmodSync(at('stream.log'), 0o644)
  chmodSync(at('conversation.json'), 0o666)
  const later = open()
  later.begin(session, { prompt: 'x', resumed: true }).line(init)
  await later.close()
  expect(modes()).toEqual([0o700, 0o700, 0o600, 0o600])
})

test.each([['../../etc'], ['..'], [''], [`${sessionId}/..`], [`${sessionId}\n`], ['a7038563']])(
  'a session id that is no UUID never becomes a path: %j',
  async (id) => {
    const { files } = await newFiles()
    expect(() => files.begin({ ...session, sessionId: id }, { prompt: 'x', resumed: false })).toThrow(
      'not a session id',
    )
  },
)

test('a log that ends in the middle of a record goes on with a new one', async () => {
  const { files, at, log } = await newFiles()
  mkdirSync(at('.'), { recursive: true })
  writeFileSync(at('stream.log'), '[2025-09-11T22:05:28.592Z] USER PRO')
  files.begin(session, { prompt: 'x', resumed: true })
  await files.close()
  expect(log()).toMatch(/^\[2025-09-11T22:05:28.592Z\] USER PRO\n\n=== Session Continued ===\n/)
})

describe('what was said before the first turn that is kept', () => {
  const turnsOf = ['u-old', 'u-mid', 'u-new'] as const
  const uuidOf = (name: string): Line => ({ type: 'user', isReplay: true, uuid: name, message: { content: name } })

  /** Three turns, ten seconds apart, and what one of them must not lose: text that looks like a record. */
  async function threeTurns() {
    const made = await newFiles()
    for (const [index, name] of turnsOf.entries()) {
      await made.until(`${30 + index * 10}.000`)
      const turn = made.files.begin(session, { prompt: `asked ${name}`, resumed: index > 0 })
      turn.line(uuidOf(name))
      turn.line(said(`answered ${name}\n\n${'ä'.repeat(300_000)}\n[no time] NOT A RECORD`))
      turn.end(success)
    }
    await made.files.close()
    return { ...made, files: made.open(), from: (second: number) => Date.parse(`2025-09-11T22:05:${second}.000Z`) }
  }
  const uuids = (conversation: { messages: { uuid?: string }[] }) =>
    conversation.messages.flatMap(({ uuid }) => uuid ?? [])
  const none = { isKept: () => false }

  test('is deleted from both files, and later lines are appended', async () => {
    const { files, conversation, log, from, clock } = await threeTurns()
    await files.cut(sessionId, { before: from(40), firstDelivery: 'u-mid', ...none })
    expect(uuids(conversation())).toEqual(['u-mid', 'u-new'])
    expect(log()).toMatch(/^\[2025-09-11T22:05:40\.000Z\] SESSION RESUMED:\n[^]*asked u-mid[^]*answered u-new/)
    const before = { conversation: conversation(), log: log() }
    await files.cut(sessionId, { before: from(40), firstDelivery: 'u-mid', ...none })
    expect({ conversation: conversation(), log: log() }).toEqual(before)
    files.begin(session, { prompt: 'more', resumed: true }).line(uuidOf('u-more'))
    await clock.advance(1000)
    await files.close()
    expect(uuids(conversation())).toEqual(['u-mid', 'u-new', 'u-more'])
    expect(log()).toContain('asked u-mid')
    expect(log()).toContain('more')
  })

  test('is everything where no turn is kept, and the files stay what they are', async () => {
    const { files, conversation, log, from, at } = await threeTurns()
    await files.cut(sessionId, { before: from(59), firstDelivery: undefined, ...none })
    expect(conversation()).toMatchObject({ sessionId, from: 'frontend', messages: [] })
    expect(log()).toBe('')
    expect(statSync(at('conversation.json')).mode & 0o777).toBe(0o600)
    files.begin(session, { prompt: 'more', resumed: true }).line(uuidOf('u-more'))
    await files.close()
    expect(uuids(conversation())).toEqual(['u-more'])
  })

  test('stays where the first turn is not in the file, and lines that come meanwhile are not lost', async () => {
    const { files, conversation, from } = await threeTurns()
    await files.cut(sessionId, { before: from(30) + 1, firstDelivery: 'u-elsewhere', ...none })
    expect(uuids(conversation())).toEqual([...turnsOf])
    files.begin(session, { prompt: 'more', resumed: true }).line(uuidOf('u-more'))
    await Promise.all([files.cut(sessionId, { before: from(50), firstDelivery: 'u-new', ...none }), files.close()])
    expect(uuids(conversation())).toEqual(['u-new', 'u-more'])
  })

  test('long answers go with their turns', async () => {
    const { files, from, at } = await threeTurns()
    mkdirSync(at('answers'))
    const [gone, kept, young] = ['gone-everything.md', 'kept.md', 'young.md'].map((name) => at(`answers/${name}`))
    for (const path of [gone!, kept!, young!]) {
      writeFileSync(path, 'text')
      utimesSync(path, from(30) / 1000, from(path === young ? 55 : 30) / 1000)
    }
    await files.cut(sessionId, { before: from(50), firstDelivery: 'u-new', isKept: (id) => id === 'kept' })
    expect([gone!, kept!, young!].map((path) => existsSync(path))).toEqual([false, true, true])
  })

  test('a conversation that has no transcripts, and one with a foreign file, stay as they are', async () => {
    const { files, at, from } = await threeTurns()
    writeFileSync(at('conversation.json'), 'not a conversation')
    await files.cut(sessionId, { before: from(50), firstDelivery: 'u-new', ...none })
    expect(readFileSync(at('conversation.json'), 'utf8')).toBe('not a conversation')
    rmSync(at('.'), { recursive: true })
    await files.cut(sessionId, { before: from(50), firstDelivery: 'u-new', ...none })
    expect(existsSync(at('.'))).toBe(false)
  })

  test('nothing is cut through a link to another directory', async () => {
    const { files, at, from, directory } = await threeTurns()
    const elsewhere = `${directory}-elsewhere`
    renameSync(at('.'), elsewhere)
    symlinkSync(elsewhere, join(directory, sessionId))
    await files.cut(sessionId, { before: from(50), firstDelivery: undefined, ...none })
    expect(readFileSync(join(elsewhere, 'stream.log'), 'utf8')).toContain('asked u-old')
  })
})

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

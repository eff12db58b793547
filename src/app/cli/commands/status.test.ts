import { expect, test } from 'vitest'
import { type TeamStatus, workLines } from './status.ts'

type Session = TeamStatus['teams'][number]['sessions'][number]

const idle: Session = {
  from: 'external',
  thread: 'main',
  sessionId: 's',
  processState: 'idle',
  pid: 7,
  messageCount: 2,
  queueLength: 0,
}

function linesOf(session: Session): readonly string[] {
  return workLines({ teams: [{ name: 'backend', sessions: [session] }] } as unknown as TeamStatus, () => true)
}

test('a conversation is shown with the words of people', () => {
  expect(linesOf(idle)).toEqual(['  backend from you: idle (pid 7), 2 messages answered'])
  expect(linesOf({ ...idle, processState: 'processing', messageCount: 1, queueLength: 1 })).toEqual([
    '  backend from you: working (pid 7), 1 message answered, 1 queued',
  ])
})

test('one whose process fails again and again says until when it is not started, and why', () => {
  const broken = { ...idle, pid: undefined, processState: 'stopped' as const }
  const open = { state: 'open' as const, cause: 'no space left', retryAt: Date.now() + 59_000 }
  expect(linesOf({ ...broken, breaker: open })).toEqual([
    expect.stringMatching(
      /failed, 2 messages answered, not started for \d+ seconds after five failures: no space left$/,
    ),
  ])
  expect(linesOf({ ...broken, breaker: { ...open, retryAt: 1 } })).toEqual([
    expect.stringContaining('not started until the next message after five failures: no space left'),
  ])
})

import { expect, test } from 'vitest'
import { type TeamStatus, teamLines, workLines } from './status.ts'

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

const team = (name: string, sessions: readonly Session[] = [], more: object = {}) =>
  ({ name, status: 'asleep', sessions, config: { path: '/p' }, ...more }) as unknown as TeamStatus['teams'][number]

test('of many conversations those at work are shown, and how many more there are', () => {
  const asleep = { ...idle, pid: undefined, processState: 'stopped' as const }
  const many = [
    ...Array.from({ length: 99 }, () => asleep),
    { ...idle, thread: 'now', processState: 'processing' as const },
  ]
  const lines = teamLines({ teams: [team('backend', many, { moreSessions: 900 })] }, 80)
  expect(lines).toHaveLength(7)
  expect(lines[1]).toContain('from you (now): working')
  expect(lines.at(-1)).toContain('995 more conversations. "iris sessions --to backend" lists them.')
})

test('of many teams those at work are shown, and how many more there are', () => {
  const teams = Array.from({ length: 1000 }, (_, at) => team(`team${at}`))
  const lines = teamLines({ teams: [...teams, team('zebra', [], { status: 'awake' })] }, 80)
  expect(lines).toHaveLength(42)
  expect(lines.slice(-3)).toEqual([
    expect.stringContaining('zebra'),
    '',
    '961 more teams are asleep or without news. "iris teams list" shows them all.',
  ])
})

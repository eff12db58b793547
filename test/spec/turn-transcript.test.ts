import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { wholeMeta } from '../../src/base/protocol/daemon.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { fillStore } from '../support/many-turns.ts'
import { transcriptPath } from '../support/transcript-path.ts'
import { spoken } from '../support/world.ts'

type Part = Readonly<Record<string, unknown>>

const never = new Promise<never>(() => {})

const script: Script = ({ conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  // Word left before it stands in front of it.
  if (message.endsWith('hold') || lastUserText.includes('\nhold\n'))
    return { stream: heldText('Half an ans', never, '') }
  if (message.startsWith('use tools')) {
    if (step > 0) return { text: 'There it is.' }
    const run = (command: string) => ({ name: 'Bash', input: { command } })
    return { thinking: 'I must look.', text: 'Looking.', toolUses: [run('echo found it'), run('exit 3')] }
  }
  if (message === 'talk long')
    return step > 0
      ? { text: 'x'.repeat(9000) }
      : { toolUses: [{ name: 'Bash', input: { command: `printf 'y%.0s' $(seq 9000)` } }] }
  return { text: `answer to ${message}` }
}

const start = () =>
  TestIris.start({ claude: 'fake', script, teams: { backend: { grantPermission: 'yes', dangerous: true } } })

async function transcript(iris: TestIris, turnId: string, more: object = {}) {
  const answer = await callTool(iris, 'turn_transcript', { turnId, ...more })
  if ('error' in answer) throw new Error(JSON.stringify(answer))
  return answer as Record<string, unknown> & { parts: Part[]; source: string }
}

/** What is the same wherever it is read. */
const lasting = ({ parts }: { parts: readonly Part[] }): unknown[] =>
  parts.map((part) =>
    Object.fromEntries(Object.entries(part).filter(([name]) => !['at', 'durationMs', 'toolUseId'].includes(name))),
  )

const worked = [
  { kind: 'thinking', text: 'I must look.' },
  { kind: 'text', text: 'Looking.' },
  { kind: 'tool', name: 'Bash', input: '{\n  "command": "echo found it"\n}', result: 'found it', isError: false },
  { kind: 'tool', name: 'Bash', input: '{\n  "command": "exit 3"\n}', result: 'Exit code 3', isError: true },
  { kind: 'text', text: 'There it is.' },
]

/** Claude Code writes its transcript late. */
async function written(iris: TestIris, turn: { sessionId: string }): Promise<string> {
  await callTool(iris, 'team_sleep', { team: 'backend' })
  return (await transcriptPath(iris.world.claudeDirectory, turn.sessionId))!
}

describe('a turn is told with all that was said and done', () => {
  test('from memory, after a restart from the transcript of Claude Code, without that from conversation.json, at last from the ledger', async () => {
    await using iris = await start()
    await callTool(iris, 'notify', { toTeam: 'backend', message: 'Mind the gap.' })
    await ask(iris, 'backend', 'hello')
    const turn = await ask(iris, 'backend', 'use tools')
    await ask(iris, 'backend', 'good bye')
    const fresh = await transcript(iris, turn.turnId)
    expect(fresh).toMatchObject({
      turnId: turn.turnId,
      sessionId: turn.sessionId,
      from: 'external',
      to: 'backend',
      thread: 'main',
      message: 'use tools',
      status: 'completed',
      usage: { outputTokens: expect.any(Number) },
      notices: [],
      deliveries: 1,
      partsLeftOut: 0,
      isCut: false,
      source: 'memory',
    })
    expect(lasting(fresh)).toEqual(worked)
    const { acceptedAt, dispatchedAt, startedAt, settledAt } = fresh as unknown as Record<string, number>
    const times = [acceptedAt, dispatchedAt, startedAt, ...fresh.parts.map(({ at }) => at as number), settledAt]
    expect(times).toEqual(times.toSorted((a, b) => a! - b!))
    expect(fresh.parts.filter(({ kind }) => kind === 'tool').map(({ durationMs }) => durationMs)).toEqual([
      expect.any(Number),
      expect.any(Number),
    ])

    const path = await written(iris, turn)
    await iris.restart()
    const later = await transcript(iris, turn.turnId)
    expect(lasting(later)).toEqual(worked)
    expect(later).toMatchObject({ source: 'transcript', acceptedAt, dispatchedAt, startedAt, settledAt })
    expect(later.parts.every(({ at }) => typeof at === 'number')).toBe(true)

    rmSync(path)
    rmSync(join(iris.world.home, 'data/transcripts'), { recursive: true })
    const kept = await transcript(iris, turn.turnId)
    expect(kept).toMatchObject({ source: 'conversation' })
    expect(lasting(kept)).toEqual(worked)

    rmSync(join(iris.world.home, 'output_streams'), { recursive: true })
    const rest = await transcript(iris, turn.turnId)
    expect(rest).toMatchObject({ source: 'ledger', message: 'use tools' })
    expect(lasting(rest)).toEqual([{ kind: 'text', text: 'There it is.' }])
  })

  test('while it runs with the text so far, while it waits with nothing', async () => {
    await using iris = await start()
    await callTool(iris, 'notify', { toTeam: 'backend', message: 'Mind the gap.' })
    const running = await ask(iris, 'backend', 'hold', { timeout: -1 })
    const waiting = await ask(iris, 'backend', 'later', { timeout: -1 })
    await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('Half'))
    expect(await transcript(iris, running.turnId)).toMatchObject({
      status: 'working',
      notices: [{ text: 'Mind the gap.' }],
      parts: [{ kind: 'text', text: 'Half an ans', isUnfinished: true }],
    })
    const later = await transcript(iris, waiting.turnId)
    expect(later).toMatchObject({ status: 'queued', parts: [], notices: [], deliveries: 0 })
    expect(later).not.toHaveProperty('dispatchedAt')
    for (const { turnId } of [waiting, running]) await callTool(iris, 'session_cancel', { turnId })
    await iris.event('turn-settled', ({ turnId }) => turnId === running.turnId)
    const cancelled = await transcript(iris, waiting.turnId)
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'cancelled', parts: [] })
  })

  test('with what is long cut, and how much of it; with full: true all of it', async () => {
    await using iris = await start()
    const { turnId } = await ask(iris, 'backend', 'talk long')
    const short = await transcript(iris, turnId)
    expect(short).toMatchObject({ isCut: true })
    expect(short.parts).toMatchObject([
      { kind: 'tool', result: 'y'.repeat(4000), resultCutCharacters: 5000 },
      { kind: 'text', text: 'x'.repeat(4000), cutCharacters: 5000 },
    ])
    const full = await transcript(iris, turnId, { full: true })
    expect(full).toMatchObject({ isCut: false, parts: [{ result: 'y'.repeat(9000) }, { text: 'x'.repeat(9000) }] })
  })
})

test('what is unknown is refused with what to do', async () => {
  await using iris = await start()
  expect(await refusal(iris, 'turn_transcript', { turnId: 'x' })).toMatchObject({ code: 'unknown_turn' })
  expect(await refusal(iris, 'session_turns', { sessionId: 'x' })).toMatchObject({ code: 'unknown_session' })
})

interface Page {
  readonly turns: readonly (Part & { readonly turnId: string; readonly message: string })[]
  readonly offset: number
  readonly total: number
}

async function page(iris: TestIris, sessionId: string, more: object = {}): Promise<Page> {
  const answer = await callTool(iris, 'session_turns', { sessionId, ...more }, { meta: { [wholeMeta]: true } })
  if ('error' in answer) throw new Error(JSON.stringify(answer))
  return answer as unknown as Page
}

describe('the turns of a conversation', () => {
  test('come in pages in either direction, and around a turn, each once, of an archived one too', async () => {
    await using iris = await start()
    const first = await ask(iris, 'backend', '1')
    for (const message of ['2', '3', '4', '5']) await ask(iris, 'backend', message)
    await callTool(iris, 'session_reboot', { team: 'backend' })
    const { sessionId } = first
    const messages = ({ turns }: Page): string[] => turns.map(({ message }) => message)
    const newest = await page(iris, sessionId, { limit: 2 })
    expect(newest).toMatchObject({ total: 5, isArchived: true, from: 'external', to: 'backend', thread: 'main' })
    expect(newest.offset).toBe(3)
    expect(messages(newest)).toEqual(['4', '5'])
    const older = await page(iris, sessionId, { limit: 2, offset: 1 })
    expect(messages(older)).toEqual(['2', '3'])
    expect(messages(await page(iris, sessionId, { offset: 4 }))).toEqual(['5'])
    expect(messages(await page(iris, sessionId, { offset: 5 }))).toEqual([])
    const middle = await page(iris, sessionId, { limit: 3, around: older.turns[1]!.turnId })
    expect([middle.offset, messages(middle)]).toEqual([1, ['2', '3', '4']])
    expect(messages(await page(iris, sessionId, { limit: 4, around: first.turnId }))).toEqual(['1', '2', '3', '4'])
    expect(newest.turns[1]).toMatchObject({
      status: 'completed',
      text: 'answer to 5',
      isTextCut: false,
      usage: { outputTokens: expect.any(Number) },
      settledAt: expect.any(Number),
    })
  })

  test('are told as they stand: what runs with its text so far, what waits, long texts cut', async () => {
    await using iris = await start()
    const long = await ask(iris, 'backend', 'ä'.repeat(5000))
    const running = await ask(iris, 'backend', 'hold', { timeout: -1 })
    await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('Half'))
    const waiting = await ask(iris, 'backend', 'later', { timeout: -1 })
    const { turns } = await page(iris, long.sessionId)
    expect(turns).toMatchObject([
      { message: 'ä'.repeat(4000), isMessageCut: true, isTextCut: true },
      { turnId: running.turnId, status: 'working', text: 'Half an ans', startedAt: expect.any(Number) },
      { turnId: waiting.turnId, status: 'queued' },
    ])
    for (const { turnId } of [waiting, running]) await callTool(iris, 'session_cancel', { turnId })
    await iris.event('turn-settled', ({ turnId }) => turnId === running.turnId)
  })

  test('are 10 000 as easily as ten', async () => {
    await using iris = await start()
    await ask(iris, 'backend', 'hello')
    await iris.daemon.stop(0)
    const sessionId = fillStore(join(iris.world.home, 'data/team-sessions.db'), { turns: 10_000 })
    await iris.restart()
    const seen = new Set<string>()
    for (let offset = 0; offset < 10_000; offset += 200) {
      const { turns, total } = await page(iris, sessionId, { limit: 200, offset })
      expect(total).toBe(10_000)
      for (const { message } of turns) seen.add(message)
    }
    expect(seen.size).toBe(10_000)
    expect((await page(iris, sessionId, { limit: 1, offset: 0 })).turns[0]!.message).toBe('Question 1, filler?')
  })
})

import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readDelivery } from '../claude/transcript.ts'
import { type ForkedTranscript, forkedTranscript } from '../claude/transcript-fork.ts'
import { IrisError } from '../protocol/error.ts'
import { type Pair, pairText } from '../protocol/party.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { OrchestratorParts } from './parts.ts'

type ForkParts = Pick<OrchestratorParts, 'clock' | 'ledger' | 'sessions' | 'newId' | 'launcher'>

export interface ForkRequest {
  readonly pair: Pair
  readonly newThread: string
  /** Id of the turn whose answer is the last one they share; undefined: the last that was answered. */
  readonly fromTurn: string | undefined
}

/** The transcript is written some 100 ms after the answer, the file made with it. */
const writtenWithinMs = 2000
const lookAgainMs = 50

/**
 * A new session for `newThread` that holds the pair's past, up to the answer to `fromTurn` or to its last answer; what runs
 * goes on and is no part of it. The file comes before the row: a crash in between leaves a file that nobody knows.
 */
export async function fork({ pair, newThread, fromTurn }: ForkRequest, parts: ForkParts): Promise<Session> {
  const { sessions, newId } = parts
  const target = { ...pair, thread: newThread }
  if (agentOfThread(newThread) !== agentOfThread(pair.thread)) {
    throw new IrisError(
      'invalid_input',
      `${pair.thread} and ${newThread} are not answered by the same agent.`,
      'Leave the thread of an agent its name: agent:<name>@2.',
    )
  }
  threadIsFree(target, parts)
  const source = fromTurn === undefined ? sessions.find(pair)?.row : sourceOf(fromTurn, pair, parts)
  if (source === undefined) throw nothingToFork(pair, 'they have never spoken')
  const delivery = fromTurn === undefined ? undefined : parts.ledger.deliveriesOf(fromTurn).at(-1)?.uuid
  const path = await writtenTranscript(pair.to, source.sessionId, delivery ?? source.lastAnsweredDelivery, parts)
  if (path === undefined) throw nothingToFork(pair, 'Claude Code has no transcript of it')
  const sessionId = newId()
  const forked = forkedTranscript((await readFile(path, 'utf8')).split('\n'), { sessionId, delivery })
  if (forked === undefined) throw nothingToFork(pair, 'nothing has been answered in it yet')
  const file = join(dirname(path), `${sessionId}.jsonl`)
  await write(file, forked)
  try {
    threadIsFree(target, parts)
    const origin = { origin: 'fork', originSession: source.sessionId, originMessage: forked.lastMessage } as const
    return sessions.branchOff(target, { sessionId, ...origin })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

function threadIsFree(pair: Pair, { sessions }: ForkParts): void {
  const taken = sessions.find(pair)
  if (taken === undefined) return
  throw new IrisError(
    'thread_in_use',
    `${pairText(pair)} is a conversation already (${taken.sessionId}).`,
    'Give another newThread.',
  )
}

/** The session in which a turn was answered, also one that was archived since. */
function sourceOf(turnId: string, pair: Pair, { ledger, sessions }: ForkParts): SessionRow {
  const turn = ledger.turn(turnId)
  const session = turn && sessions.rowOf(turn.session)
  if (session === undefined || session.from !== pair.from || session.to !== pair.to || session.thread !== pair.thread) {
    throw new IrisError(
      'unknown_turn',
      `${pairText(pair)} has no turn ${turnId}.`,
      'Give the turnId of one of its answers.',
    )
  }
  if (turn?.outcome !== 'completed') throw nothingToFork(pair, `turn ${turnId} has no answer`)
  return session
}

/** Where the transcript is, once it holds the answer, or is not going to. */
async function writtenTranscript(
  team: string,
  sessionId: string,
  delivery: string | null,
  { clock, launcher }: ForkParts,
): Promise<string | undefined> {
  for (const until = clock.elapsed() + writtenWithinMs; ; ) {
    const path = await launcher.transcriptOf({ to: team, sessionId })
    const isWritten =
      path !== undefined && delivery !== null && (await readDelivery(path, delivery)).kind === 'answered'
    if (isWritten || delivery === null || clock.elapsed() > until) return path
    await new Promise<void>((resolve) => clock.after(lookAgainMs, resolve))
  }
}

async function write(path: string, { text }: ForkedTranscript): Promise<void> {
  const unfinished = `${path}.unfinished`
  try {
    const file = await open(unfinished, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw new IrisError(
      'store_unavailable',
      `The fork could not be written: ${String(error)}.`,
      'Check the disk, then fork again.',
      { cause: error },
    )
  }
}

function nothingToFork(pair: Pair, why: string): IrisError {
  return new IrisError(
    'nothing_to_fork',
    `There is no past of ${pairText(pair)} to fork: ${why}.`,
    'Fork a conversation that has been answered at least once; a running turn counts when it has ended.',
  )
}

import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { allLines, readDelivery } from '../../claude/driver/transcript.ts'
import { type ForkedTranscript, forkedTranscript } from '../../claude/driver/transcript-fork.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'

type ForkParts = Pick<OrchestratorParts, 'clock' | 'ledger' | 'sessions' | 'newId' | 'launcher'>

export interface ForkRequest {
  readonly pair: Pair
  readonly newThread: string
  /** Id of the last turn to copy, including its answer. If undefined, this is the last answered turn. */
  readonly fromTurn: string | undefined
}

/**
 * Claude Code writes the transcript about 100 ms after the answer. Before a conversation's first answer is written, its
 * file does not exist.
 */
const writtenWithinMs = 2000
const lookAgainMs = 50

/**
 * Opens a session for `newThread` with the pair's past, up to the answer to `fromTurn` or to the last answer. A running
 * turn is neither copied nor disturbed. The file is written before the row: a crash in between leaves only an unused
 * file. Throws `invalid_input`, `thread_in_use`, `unknown_turn`, `nothing_to_fork` and `store_unavailable`.
 */
export async function fork({ pair, newThread, fromTurn }: ForkRequest, parts: ForkParts): Promise<Session> {
  const { sessions, newId } = parts
  const target = { ...pair, thread: newThread }
  if (agentOfThread(newThread) !== agentOfThread(pair.thread)) {
    throw new IrisError(
      'invalid_input',
      `${pair.thread} and ${newThread} belong to different agents.`,
      'Name the new thread after the same agent: agent:<name>@2.',
    )
  }
  // A role's conversation contains text from strangers, so its fork must have the role's rights too.
  if (roleOfThread(newThread) !== roleOfThread(pair.thread)) {
    const what = `${pair.thread} and ${newThread} are not answered with the same rights.`
    throw new IrisError('invalid_input', what, 'Name the new thread after the same role: role:<name>:<thread>.')
  }
  threadIsFree(target, parts)
  const source = fromTurn === undefined ? sessions.openLive(pair)?.row : sourceOf(fromTurn, pair, parts)
  if (source === undefined) throw nothingToFork(pair, 'they have never spoken')
  const delivery = fromTurn === undefined ? undefined : parts.ledger.deliveriesOf(fromTurn).at(-1)?.uuid
  const answered = delivery ?? source.lastAnsweredDelivery
  const transcript = await writtenTranscript(pair.to, source.sessionId, answered, parts)
  if (transcript === undefined) throw nothingToFork(pair, 'Claude Code has no transcript of it')
  const sessionId = newId()
  const lines = await allLines(transcript).catch((error: Error) => {
    throw nothingToFork(pair, `its transcript cannot be read: ${error.message}`)
  })
  const forked = forkedTranscript(lines, { sessionId, delivery, answered: answered ?? undefined })
  if (forked === undefined) throw nothingToFork(pair, 'nothing has been answered in it yet')
  const names = [...transcript.facts.names.slice(0, -1), `${sessionId}.jsonl`]
  await write(transcript.tree, names, forked)
  try {
    threadIsFree(target, parts)
    const origin = { origin: 'fork', originSession: source.sessionId, originMessage: forked.lastMessage } as const
    return sessions.branchOff(target, { sessionId, ...origin }, source.account)
  } catch (error) {
    await transcript.tree.remove(names)
    throw error
  }
}

function threadIsFree(pair: Pair, { sessions }: ForkParts): void {
  const taken = sessions.openLive(pair)
  if (taken === undefined) return
  throw new IrisError(
    'thread_in_use',
    `The thread is in use: ${pairText(pair)} is conversation ${taken.sessionId}.`,
    'Choose another name for the new thread.',
  )
}

/** The session that answered a turn, even if it is archived now. */
function sourceOf(turnId: string, pair: Pair, { ledger, sessions }: ForkParts): SessionRow {
  const turn = ledger.turn(turnId)
  const session = turn && sessions.rowOf(turn.session)
  if (session === undefined || session.from !== pair.from || session.to !== pair.to || session.thread !== pair.thread) {
    throw new IrisError(
      'unknown_turn',
      `${pairText(pair)} has no turn ${turnId}.`,
      'Use the turnId of one of its answers.',
    )
  }
  if (turn?.outcome !== 'completed') throw nothingToFork(pair, `turn ${turnId} has no answer`)
  return session
}

/** Returns the transcript once it contains the answer, or its current state after `writtenWithinMs`. */
async function writtenTranscript(
  team: string,
  sessionId: string,
  delivery: string | null,
  { clock, launcher }: ForkParts,
): Promise<FoundFile | undefined> {
  for (const until = clock.elapsed() + writtenWithinMs; ; ) {
    const transcript = await launcher.transcriptOf({ to: team, sessionId })
    const isWritten =
      transcript !== undefined &&
      delivery !== null &&
      (await readDelivery(transcript, { uuid: delivery })).kind === 'answered'
    if (isWritten || delivery === null || clock.elapsed() > until) return transcript
    await new Promise<void>((resolve) => clock.machine.after(lookAgainMs, resolve))
  }
}

async function write(tree: FileTree, names: readonly string[], { text }: ForkedTranscript): Promise<void> {
  try {
    await tree.write(names, piecesOfText(text))
  } catch (error) {
    throw new IrisError(
      'store_unavailable',
      `The fork could not be written: ${String(error)}.`,
      'Check the disk, then fork again.',
      { cause: error },
    )
  }
}

async function* piecesOfText(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

function nothingToFork(pair: Pair, why: string): IrisError {
  return new IrisError(
    'nothing_to_fork',
    `${pairText(pair)} has nothing to fork: ${why}.`,
    'Fork a conversation that has at least one answer. A running turn counts once it has ended.',
  )
}

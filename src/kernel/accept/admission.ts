import { isUnseen } from '../../base/lib/visible.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import { unknownTeam } from '../../platform/config/unknown-team.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Session } from '../session/session.ts'
import { notInChain } from '../session/wait-graph.ts'
import type { Ask } from '../turn/ask.ts'

/**
 * Each team in the chain keeps a process busy while it waits for the next team, and a long chain is rarely intended.
 */
const maxHops = 8

/**
 * Throws `unknown_team` unless a team with that name is configured; the error suggests the nearest name, or says that
 * the team was removed. `others` are the teams of other hosts.
 */
export function knownTeam(name: string, config: Config, others: readonly string[] = []): void {
  if (config.teams.has(name)) return
  if (config.formerTeams.has(name)) {
    throw new IrisError(
      'unknown_team',
      `The team "${name}" was removed from config.yaml. It finishes the messages it had already accepted, but accepts no new ones.`,
      'To ask it again, put it back into config.yaml. Collect its earlier answers with message_status.',
    )
  }
  throw unknownTeam(name, config, others)
}

function usableMessage(
  message: string,
  maxBytes: number,
  remedy = 'Put the content into a file and name the file, or raise settings.maxMessageBytes.',
): void {
  if (isUnseen(message)) throw new IrisError('message_empty', 'The message is empty.', 'Write a message.')
  const bytes = Buffer.byteLength(message)
  if (bytes <= maxBytes) return
  throw new IrisError('message_too_long', `The message has ${bytes} bytes; the limit is ${maxBytes}.`, remedy)
}

/** Refuses asks for reasons that do not depend on a conversation. `chain` and `hop`: see `Orchestrator.nextTo`. */
export function admissible(
  { pair, message, waits }: Pick<Ask, 'pair' | 'message' | 'waits'>,
  { chain, hop }: { readonly chain: readonly string[]; readonly hop: number },
  { config: inForce, seams: { otherHosts } }: Pick<OrchestratorParts, 'config' | 'seams'>,
): void {
  const config = inForce()
  if (!otherHosts.isThere(pair.to)) knownTeam(pair.to, config, otherHosts.teamNames())
  else otherHosts.mustOffer(pair.to)
  usableMessage(message, config.settings.maxMessageBytes)
  notTooDeep(hop, chain)
  if (waits) notInChain(pair, chain.length > 0 ? chain : [pair.from])
}

export function notTooDeep(hop: number, chain: readonly string[]): void {
  if (hop <= maxHops) return
  throw new IrisError(
    'too_many_hops',
    `This ask would be number ${hop} in a chain of asks; at most ${maxHops} are allowed (${chain.join(' → ')}).`,
    'Answer with what you know instead of asking another team.',
  )
}

export function roomInQueue(session: Session, queueLength: number): void {
  if (session.waiting < queueLength) return
  throw new IrisError(
    'queue_full',
    `The queue of ${session.to} is full: ${session.waiting} messages wait behind turn ${session.running?.id ?? 'none'}.`,
    'Wait until some are answered, use another thread, or raise settings.queueLength.',
  )
}

/** For asks with `whenBusy: 'refuse'`. Throws `process_busy` if the queue is not empty. */
export function notBusy(session: Session): void {
  const [first] = session.queue
  if (first === undefined) return
  throw new IrisError(
    'process_busy',
    `${session.to} is still working on an earlier message of yours (turn ${first.id}).`,
    'Wait for that message with message_status, or let this one wait with whenBusy "queue".',
  )
}

/** The pair's next message carries its notices, so they must stay small. */
const maxNoticeBytes = 16 * 1024
/** All notices that wait for a pair precede its next message, so there must not be many. */
const maxNoticesWaiting = 100

export function usableNotice(text: string, waiting: number, { to }: Pair): void {
  usableMessage(text, maxNoticeBytes, 'Put the content into a file and name the file, or send it as a message.')
  if (waiting < maxNoticesWaiting) return
  throw new IrisError(
    'too_many_notices',
    `${waiting} notices already wait for your next message to ${to}.`,
    'Send it a message; the notices go along with it.',
  )
}

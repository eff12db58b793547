import type { AgentProcess } from '../../base/agent/process.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { WaitsFor } from '../../base/protocol/waits-for.ts'
import type { Holder, OpenElsewhere } from './open-elsewhere.ts'
import type { Session } from './session.ts'

/** Settles when the unsolicited turn of this process has ended. Undefined if no such turn is running. */
export function ownTurnEnd(process: AgentProcess | undefined): Promise<unknown> | undefined {
  if (process?.state !== 'idle') return undefined
  const { turnEnd } = process.activity
  return turnEnd && Promise.race([turnEnd, process.exited])
}

/** Throws `session_held` if a person has the conversation open. For calls without `force`. */
export function notHeld(session: Session | undefined, holders: Pick<OpenElsewhere, 'holderOf'>): void {
  const holder = session && holders.holderOf(session)
  if (holder === undefined) return
  throw new IrisError(
    'session_held',
    heldText(holder),
    `${leaves(holder)}, or use force: true. What you say there from then on is no longer part of the pair's conversation.`,
  )
}

/** A sentence that says where a person has a conversation open. */
export function heldText({ pid, job }: Holder): string {
  return job === undefined
    ? `A person has this conversation open in a terminal (process ${pid}).`
    : `This conversation is open in background session ${job} of Claude Code (process ${pid}).`
}

/**
 * The error for a conversation that Claude Code refused to resume because a background session has it open. `job`: the
 * background session, if Claude Code named it.
 */
export function heldInBackground(job: string | undefined): IrisError {
  return new IrisError(
    'session_held',
    `This conversation is open in ${job === undefined ? 'a background session' : `background session ${job}`} of Claude Code.`,
    job === undefined
      ? 'Stop it there ("claude agents" lists it) and ask again.'
      : `Run "claude stop ${job}" and ask again.`,
  )
}

/** How the person closes the conversation where it is open, as the beginning of a sentence. */
export function leaves({ job }: Holder): string {
  return job === undefined ? 'Ask again when it is closed there' : `Run "claude stop ${job}" and ask again`
}

/** Where the conversation is open and how it is closed, for a message that waits until it is closed. */
export function openIn({ pid, job }: Holder): Pick<WaitsFor, 'kind' | 'what' | 'remedy'> {
  return job === undefined
    ? { kind: 'person', what: `Open in a terminal (process ${pid})`, remedy: 'close it there' }
    : { kind: 'background', what: `Open in background session ${job}`, remedy: `\`claude stop ${job}\`` }
}

/** The error `process_busy`, for a conversation in which a turn is running or waiting. For calls without `force`. */
export function busy(pair: Pair, turnId: string, orForce: string): IrisError {
  return new IrisError(
    'process_busy',
    `${pair.to} is working on turn ${turnId} in ${pairText(pair)}.`,
    `Wait until it has ended, or use force: true to ${orForce}.`,
  )
}

/** Throws `process_busy` while Claude Code is working on an unsolicited turn. For calls without `force`. */
export function notAtWorkByItself(pair: Pair, process: AgentProcess | undefined): void {
  if (ownTurnEnd(process) === undefined) return
  throw new IrisError(
    'process_busy',
    `${pair.to} is working in ${pairText(pair)} without a message, for example because a background command has ended.`,
    'Wait until it has ended, or use force: true to interrupt it.',
  )
}

export function nothingToOpen(pair: Pair, why: string): IrisError {
  return new IrisError(
    'unknown_session',
    `${pairText(pair)} has no conversation to open: ${why}.`,
    'Send it a message first; its answer begins the conversation.',
  )
}

import type { AgentProcess } from '../../base/agent/process.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { OpenElsewhere } from './open-elsewhere.ts'
import type { Session } from './session.ts'

/** Settles when the turn has ended that Claude Code began by itself; undefined: it works on none. */
export function ownTurnEnd(process: AgentProcess | undefined): Promise<unknown> | undefined {
  if (process?.state !== 'idle') return undefined
  const { turnEnd } = process.activity
  return turnEnd && Promise.race([turnEnd, process.exited])
}

/** Throws `session_held` if a person has the conversation open. For calls without `force`. */
export function notHeld(session: Session | undefined, holders: Pick<OpenElsewhere, 'holderOf'>): void {
  const pid = session && holders.holderOf(session)
  if (pid === undefined) return
  throw new IrisError(
    'session_held',
    `A person has this conversation open in a terminal (process ${pid}).`,
    'Ask again when it is closed there, or use force: true: what is said there then no longer belongs to the pair.',
  )
}

/** `process_busy`: a turn runs or waits in the conversation. For calls without `force`. */
export function busy(pair: Pair, turnId: string, orForce: string): IrisError {
  return new IrisError(
    'process_busy',
    `${pair.to} is working on turn ${turnId} in ${pairText(pair)}.`,
    `Wait until it has ended, or use force: true to ${orForce}.`,
  )
}

/** Throws `process_busy` while Claude Code works on a turn that it began by itself. For calls without `force`. */
export function notAtWorkByItself(pair: Pair, process: AgentProcess | undefined): void {
  if (ownTurnEnd(process) === undefined) return
  throw new IrisError(
    'process_busy',
    `${pair.to} is working by itself in ${pairText(pair)}, as after the end of a command in its background.`,
    'Wait until it has ended, or use force: true to cut that off.',
  )
}

export function nothingToOpen(pair: Pair, why: string): IrisError {
  return new IrisError(
    'unknown_session',
    `There is no conversation of ${pairText(pair)} to open: ${why}.`,
    'Send it a message first; its answer begins the conversation.',
  )
}

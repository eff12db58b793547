import type { OtherHosts, RemoteAsk, RemoteEnd } from '../../kernel/session/other-hosts.ts'
import { ended } from '../../kernel/turn/verdict.ts'

/** A turn that another host answers. */
export interface Carried {
  readonly ask: RemoteAsk
  /** Changes when another host continues with the conversation. */
  host: string
  /** All hosts that may have the ask. */
  readonly asked: Set<string>
  /** The callbacks for what the other host reports about the turn. */
  readonly on: Parameters<OtherHosts['carry']>[1]
  /** Resolves with the end of the turn, or with undefined if Iris is stopping. */
  readonly over: PromiseWithResolvers<RemoteEnd | undefined>
  /** Aborted to send the ask again at once, without waiting for the rest of the pause. */
  nudge: AbortController
  /** Whether `host` has committed the turn. */
  isTaken: boolean
  /**
   * Part of the id of the ask's letter. A mailbox keeps a letter with the same id only once, so a repeated ask needs a
   * different id.
   */
  repeats: number
  /** The number of the next expected piece of lines. If a piece is lost, later ones are not shown. */
  next: number
  /**
   * Set while only the host that had begun the turn may continue it, and Iris waits for that host. `why` says why it
   * waits.
   */
  waits: { readonly why: string; readonly cancelTimer: () => void } | undefined
}

/** `before`: hosts that were asked before this start of Iris. */
export function carriedBy(host: string, before: readonly string[], ask: RemoteAsk, on: Carried['on']): Carried {
  const over = Promise.withResolvers<RemoteEnd | undefined>()
  const asked = new Set([...before, host])
  return {
    ask,
    host,
    asked,
    on,
    over,
    nudge: new AbortController(),
    isTaken: false,
    repeats: 0,
    next: 0,
    waits: undefined,
  }
}

/** The fields of a `RemoteEnd` other than its verdict, for an end that this host decides. */
export const nothingElse = { value: null, contextReset: null }

/** The end of a turn that this host refuses to send. */
export function refusedHere(detail: string): RemoteEnd {
  return { ...ended('failed', 'refused', detail, ''), ...nothingElse }
}

/** The end of a turn that another host had begun, if it is unknown what that host did. */
export function inDoubtHere(detail: string, partial: string): RemoteEnd {
  return { ...ended('in_doubt', 'interrupted', detail, partial), ...nothingElse }
}

import type { OtherHosts, RemoteAsk, RemoteEnd } from '../../kernel/session/other-hosts.ts'
import { ended } from '../../kernel/turn/verdict.ts'

/** A turn that another host answers. */
export interface Carried {
  readonly ask: RemoteAsk
  /** Changes when another host continues with the conversation. */
  host: string
  /** All hosts that may have the ask. */
  readonly asked: Set<string>
  readonly on: Parameters<OtherHosts['carry']>[1]
  readonly over: PromiseWithResolvers<RemoteEnd | undefined>
  /** Aborted to send again at once. */
  nudge: AbortController
  isTaken: boolean
  /** How often it was sent to a host again: a mailbox keeps a letter of the same id only once. */
  repeats: number
  /** The number of the next text of lines. After a lost one the rest is not shown. */
  next: number
  /** Only the host that had begun it may continue: why, and what ends the wait. */
  waits: { readonly why: string; readonly cancelTimer: () => void } | undefined
}

/** `before`: hosts that were asked before this start. */
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

export const nothingElse = { value: null, contextReset: null }

export function refusedHere(detail: string): RemoteEnd {
  return { ...ended('failed', 'refused', detail, ''), ...nothingElse }
}

/** A host had begun it, and what it has done is not known. */
export function inDoubtHere(detail: string, partial: string): RemoteEnd {
  return { ...ended('in_doubt', 'interrupted', detail, partial), ...nothingElse }
}

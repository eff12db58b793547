import type { Clock } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'

/** A log that had ended at the record `was`, and is empty or ends at the record `is`. */
export interface LostRecord extends Pick<Pair, 'from' | 'thread'> {
  readonly at: number
  readonly team: string
  readonly was: number
  readonly is: number
}

export interface LostRecordsParts {
  readonly clock: Pick<Clock, 'now'>
  readonly sessions: Pick<Sessions, 'openLive'>
  readonly publish: (event: IrisEvent) => void
}

const most = 100

/** Records of this host that the servers have lost, since Iris started: each one is an event and an audit entry too. */
export class LostRecords {
  readonly #parts: LostRecordsParts
  readonly #lost: LostRecord[] = []

  constructor(parts: LostRecordsParts) {
    this.#parts = parts
  }

  add({ from, to, thread }: Pair, was: number, is: number): void {
    const { clock, sessions, publish } = this.#parts
    this.#lost.unshift({ at: clock.now(), team: to, from, thread, was, is })
    this.#lost.splice(most)
    const sessionId = sessions.openLive({ from, to, thread })?.sessionId ?? ''
    publish({ type: 'log-records-lost', was, is, from, to, thread, sessionId })
  }

  /** The newest first; the last hundred. */
  all(): readonly LostRecord[] {
    return this.#lost
  }
}

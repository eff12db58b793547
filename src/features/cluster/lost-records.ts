import type { Clock } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'

/** A loss in a log: its last record had the number `was`, and now has the number `is`, or 0 if the log is empty. */
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

/**
 * This host's records that the servers have lost since Iris started. Each loss is also published as an event and
 * audited.
 */
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

  /** The newest first, at most a hundred. */
  all(): readonly LostRecord[] {
    return this.#lost
  }
}

import type { Clock } from '../../base/lib/clock.ts'
import { KeyedWaits } from '../../base/lib/keyed-waits.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { lateReport } from '../../claude/driver/inbox-texts.ts'
import type { Reports } from '../../platform/store/reports.ts'
import type { Push } from './late-answers.ts'

export interface LateReportsParts {
  readonly reports: Pick<Reports, 'toPush' | 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<Subject<IrisEvent>, 'subscribe'>
}

/** How many answers may expect reports; beyond that the oldest are forgotten. */
const maxExpected = 1000

/**
 * Reports of commands that an answer had left running. The bridge of the session that asked pushes each into the
 * session once. The askers are only kept in memory, because the commands end with this daemon too.
 */
export class LateReports {
  readonly #parts: LateReportsParts
  /** The session that asked, by turn. */
  readonly #askers = new Map<string, string>()
  readonly #waits = new KeyedWaits()

  constructor(parts: LateReportsParts) {
    this.#parts = parts
    parts.events.subscribe((event) => {
      const asker = event.type === 'turn-reported' ? this.#askers.get(event.turnId) : undefined
      if (asker !== undefined) this.#waits.wake(asker)
    })
  }

  /** Notes that the session has an answer that left commands running. */
  expect(turnId: string, console: string): void {
    if (this.#askers.size === maxExpected) this.#askers.delete(this.#askers.keys().next().value!)
    this.#askers.set(turnId, console)
  }

  /** Resolves when there is a report for this session, or the signal aborts. */
  ready(console: string, signal: AbortSignal): Promise<void> {
    return this.#waits.until(console, () => this.#toPush(console).length > 0, signal)
  }

  /** The texts to push now. Each is committed as read before it is returned, so it is returned at most once. */
  take(console: string): readonly Push[] {
    const { reports, clock } = this.#parts
    const rows = this.#toPush(console)
    reports.read(new Set(rows.map(({ turn }) => turn)), clock.now())
    return rows.map((row) => ({ turnId: row.turn, text: lateReport({ ...row, turnId: row.turn, asked: row.message }) }))
  }

  #toPush(console: string) {
    const turns = [...this.#askers].flatMap(([turn, asker]) => (asker === console ? [turn] : []))
    return turns.length === 0 ? [] : this.#parts.reports.toPush(turns)
  }
}

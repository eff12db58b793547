import type { DatabaseSync } from 'node:sqlite'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import type { Journal, JournalRow } from '../../kernel/journal/journal.ts'
import { sessions } from '../../platform/store/sessions.ts'
import { Selection } from '../../platform/store/table.ts'
import { turns } from '../../platform/store/turns.ts'
import type { KeptEvent } from './contract.ts'

export interface KeptEventsParts {
  readonly database: DatabaseSync
  readonly journal: Journal & { readonly epoch: string }
  /** Absent where Iris is composed without `permission`. */
  readonly questions?: { find(id: string): PermissionView | undefined }
}

interface EventPage {
  readonly events: readonly KeptEvent[]
  /** The number of the last row that was looked at. */
  readonly last: number
}

const turn = new Selection({
  ...turns.pick('parentTurn', 'acceptedAt', 'dispatchedAt', 'settledAt', 'outcome', 'reason', 'detail', 'usage'),
  ...turns.pick('metadata'),
  ...sessions.pick('from', 'to', 'thread', 'sessionId'),
})

const rowsAtOnce = 200
/** How many rows are searched for one page: a rare match must not block the daemon. */
const lookedAt = 2000

/** The events of the journal. Their contents are read from the rows of their turns and questions. */
export class KeptEvents {
  readonly #parts: KeptEventsParts
  readonly #turn

  constructor(parts: KeptEventsParts) {
    this.#parts = parts
    this.#turn = turn.select(
      parts.database,
      'FROM turns JOIN team_sessions ON team_sessions.id = turns.session WHERE turns.id = ?',
    )
  }

  /** Names this start of the daemon: the first part of its cursors. */
  get epoch(): string {
    return this.#parts.journal.epoch
  }

  confirmed(): Promise<number> {
    return this.#parts.journal.confirmed()
  }

  sequenceOf(cursor: string): number | undefined {
    return this.#parts.journal.sequenceOf(cursor)
  }

  first(): string {
    return this.#parts.journal.first()
  }

  /**
   * Events after the row `after` up to the row `upTo` that fit, the oldest first. Events of deleted turns are left out.
   */
  page(after: number, upTo: number, limit: number, fits: (event: KeptEvent) => boolean): EventPage {
    const events: KeptEvent[] = []
    let last = after
    for (let looked = 0; looked < lookedAt; looked += rowsAtOnce) {
      const rows = this.#parts.journal.read(last, upTo, rowsAtOnce)
      for (const row of rows) {
        last = row.sequence
        const event = this.#eventOf(row)
        if (event !== undefined && fits(event)) events.push(event)
        if (events.length === limit) return { events, last }
      }
      if (rows.length < rowsAtOnce) return { events, last: Math.max(after, upTo) }
    }
    return { events, last }
  }

  #eventOf({ sequence, at, type, turnId, questionId }: JournalRow): KeptEvent | undefined {
    const row = this.#turn.get(turnId)
    if (row === undefined) return undefined
    const { from, to, thread, sessionId, parentTurn, metadata } = row
    const permission = questionId === undefined ? undefined : this.#parts.questions?.find(questionId)
    return {
      cursor: this.#parts.journal.cursorOf(sequence),
      type,
      at,
      turnId,
      ...(parentTurn !== null && { parentTurnId: parentTurn }),
      from,
      to,
      thread,
      sessionId,
      ...(metadata !== null && { metadata }),
      ...(type === 'turn-settled' && endOf(row)),
      ...(permission !== undefined && { permission }),
    }
  }
}

type TurnFields = NonNullable<ReturnType<ReturnType<(typeof turn)['select']>['get']>>

function endOf({ acceptedAt, dispatchedAt, settledAt, outcome, reason, detail, usage }: TurnFields) {
  return {
    ...(outcome !== null && { outcome }),
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail }),
    ...(settledAt !== null && { durationMs: settledAt - acceptedAt }),
    ...(dispatchedAt !== null && { queuedMs: dispatchedAt - acceptedAt }),
    ...(usage !== null && { usage }),
  }
}

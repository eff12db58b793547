import type { Need } from '../../base/protocol/inbox-needs.ts'
import type { OutboxRows } from './rows.ts'

/** The limit for the list, which is more events than anybody reads. */
const maxUndelivered = 500

/** Events that no callback accepted. One event per message is enough. */
export function undelivered(rows: Pick<OutboxRows, 'undelivered'>): Need[] {
  const byTurn = new Map(rows.undelivered(maxUndelivered).map((row) => [row.turn, row]))
  return [...byTurn.values()].map(({ turn, sessionId, failedAt, message, callback, problem }) => {
    const about = { id: turn, sessionId, at: failedAt, turnId: turn, message }
    return { ...about, kind: 'undelivered', text: `${callback}: ${problem}` }
  })
}

import type { z } from 'zod'
import type { listTurns } from '../protocol/operations/trace.ts'
import type { Domain } from './call.ts'
import { summaryView, upToDate } from './turn-summary.ts'

const usualPage = 50

export function turns(input: z.output<typeof listTurns.input>, domain: Domain): z.output<typeof listTurns.output> {
  const { root = false, team, status = 'all', cursor, limit = usualPage } = input
  const before = cursor === undefined ? undefined : Number(cursor)
  // One more tells whether there are more.
  const found = domain.turnList.page({ root, team, status, before }, limit + 1)
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    turns: shown.map((row) => summaryView(upToDate(row, domain), domain)),
    ...(last && { nextCursor: String(last.sequence) }),
    timestamp: domain.clock.now(),
  }
}

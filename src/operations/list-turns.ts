import type { z } from 'zod'
import type { listTurns } from '../protocol/operations/trace.ts'
import type { Domain } from './call.ts'
import { knownParties } from './known-parties.ts'
import { summaryView, upToDate } from './turn-summary.ts'

const usualPage = 50

export function turns(input: z.output<typeof listTurns.input>, domain: Domain): z.output<typeof listTurns.output> {
  const { root = false, team, status = 'all', cursor, limit = usualPage } = input
  knownParties([team], domain)
  const before = cursor === undefined ? undefined : Number(cursor)
  const page = domain.turnList.page({ root, team, status, before }, limit)
  return {
    turns: page.turns.map((row) => summaryView(upToDate(row, domain), domain)),
    ...(page.lookedTo !== undefined && { nextCursor: String(page.lookedTo) }),
    timestamp: domain.clock.now(),
  }
}

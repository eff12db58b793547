import type { z } from 'zod'
import type { listTurns } from '../../base/protocol/operations/trace.ts'
import type { Domain } from './call.ts'
import { knownParties } from './known-parties.ts'
import { summaries } from './turn-model.ts'

const usualPage = 50

export async function turns(
  input: z.output<typeof listTurns.input>,
  domain: Domain,
): Promise<z.output<typeof listTurns.output>> {
  const { root = false, team, status = 'all', cursor, limit = usualPage } = input
  knownParties([team], domain)
  const before = cursor === undefined ? undefined : Number(cursor)
  const page = domain.turnList.page({ root, team, status, before }, limit)
  return {
    turns: await summaries(page.turns, domain),
    ...(page.lookedTo !== undefined && { nextCursor: String(page.lookedTo) }),
    timestamp: domain.clock.now(),
  }
}

import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import type { Call } from '../../kernel/call/call.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../kernel/call/known-participants.ts'
import { listedAsker } from '../../kernel/call/policy.ts'
import type { searchMessages } from './contract.ts'
import type { Search } from './search.ts'

/** The dependencies of these operations. */
export interface SearchParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly search: Pick<Search, 'find' | 'takeIn' | 'startOver' | 'indexBytes'>
}

type Output = z.output<typeof searchMessages.output>

const usualPage = 20

export async function searchFor(
  input: z.output<typeof searchMessages.input>,
  { auth }: Call,
  parts: SearchParts,
): Promise<Output> {
  const { query: text, team, to, thread, since, cursor, limit = usualPage } = input
  const asker = listedAsker(auth.principal)
  const from = asker ?? input.from
  // An error for an unknown name would tell an asker who sees only its own conversations which names exist.
  if (asker === undefined) knownParticipants([team, from, to], parts)
  const filter = { participants: team === undefined ? [] : [team], from, to, thread, since }
  const before = cursor === undefined ? undefined : Number(cursor)
  const { hits, next, isIndexing } = await parts.search.find({ text, filter, limit, before })
  return {
    // Copied, because the output's arrays are not read-only.
    hits: hits.map((hit) => ({ ...hit, snippet: [...hit.snippet] })),
    ...(next !== undefined && { nextCursor: String(next) }),
    isIndexing,
    timestamp: parts.clock.now(),
  }
}

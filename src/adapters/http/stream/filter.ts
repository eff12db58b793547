/**
 * Lets through events that name one of the values of each list. An absent list lets all events through. A list also
 * lets through events that lack the fields it is compared with.
 */
export interface Filter {
  readonly team?: readonly string[]
  readonly session?: readonly string[]
  readonly turn?: readonly string[]
}

/** The fields of an event that a filter compares. */
type Concern = Partial<Record<'from' | 'to' | 'teamName' | 'sessionId' | 'turnId', unknown>>

export function concerns({ team, session, turn }: Filter, event: object): boolean {
  const { from, to, teamName, sessionId, turnId }: Concern = event
  return isAmong(team, from, to, teamName) && isAmong(session, sessionId) && isAmong(turn, turnId)
}

function isAmong(wanted: readonly string[] | undefined, ...named: readonly unknown[]): boolean {
  if (wanted === undefined) return true
  const names = named.filter((name) => typeof name === 'string')
  return names.length === 0 || names.some((name) => wanted.includes(name))
}

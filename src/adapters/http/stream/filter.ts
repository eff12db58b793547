/** Only what concerns one of these; absent: everything. Events that concern no team in particular always pass. */
export interface Filter {
  readonly team?: readonly string[]
  readonly session?: readonly string[]
  readonly turn?: readonly string[]
}

/** What of an event says whom it concerns. */
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

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { Icon } from './icon.tsx'

/** Channels change without an event. */
const askAgainMs = 60_000

/** By team: what stops its messages, and what to do. */
const BrokenTeams = createContext<ReadonlyMap<string, string>>(new Map())

/** What does not work now, as far as the daemon knows. Uses the call that also counts what needs a person. */
export function useBroken() {
  const { data } = useOperation('get_inbox', { limit: 1 }, { askAgainMs })
  return data?.broken
}

export function BrokenTeamsProvider({ children }: { readonly children: ReactNode }) {
  const broken = useBroken()
  const byTeam = useMemo(
    () =>
      new Map(broken?.flatMap(({ teams, what, remedy }) => teams.map((team) => [team, `${what} ${remedy}`] as const))),
    [broken],
  )
  return <BrokenTeams value={byTeam}>{children}</BrokenTeams>
}

/** What stops the messages of a team; undefined if nothing is known to stop them. */
export function useTeamTrouble(team: string): string | undefined {
  return useContext(BrokenTeams).get(team)
}

/** A mark beside the name of a team whose messages do not continue. */
export function TroubleMark({ team }: { readonly team: string }) {
  const trouble = useTeamTrouble(team)
  if (trouble === undefined) return null
  return (
    <span title={trouble} className="text-warn inline-flex shrink-0">
      <Icon name="warning" className="size-4" />
      <span className="sr-only">{trouble}</span>
    </span>
  )
}

/** The same trouble as a sentence, shown where somebody writes to the team. */
export function TeamTrouble({ team }: { readonly team: string }) {
  const trouble = useTeamTrouble(team)
  return trouble === undefined ? null : <p className="text-warn text-xs wrap-anywhere">{trouble}</p>
}

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { colorOfOther, teamColors } from './team-colors.ts'

const TeamColors = createContext<ReadonlyMap<string, string>>(new Map())

/** Asks for the teams once, however many names are shown. */
export function TeamColorsProvider({ children }: { readonly children: ReactNode }) {
  const { data } = useOperation('list_teams', {})
  const teams = data?.teams
  const colors = useMemo(
    () => teamColors(teams?.map(({ name, config }) => ({ name, color: config.color })) ?? []),
    [teams],
  )
  return <TeamColors value={colors}>{children}</TeamColors>
}

/** The colour of a participant on every page: a team's own, grey for callers from outside. */
export function useTeamColor(name: string): string {
  return useContext(TeamColors).get(name) ?? colorOfOther(name)
}

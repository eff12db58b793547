import { limitName, limitRemedy } from '../../base/protocol/limit.ts'
import type { ChannelsView } from '../../features/channels/view.ts'
import type { ListTeamsParts } from '../../features/teams/handlers/list-teams.ts'
import { teamView } from '../../features/teams/handlers/teams.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Broken } from './contract.ts'

export interface BrokenParts extends Pick<ListTeamsParts, 'machines' | 'accountLimits' | 'configProblem'> {
  readonly config: () => Config
  readonly channels: Pick<ChannelsView, 'stateOf'>
}

/** What people see of it on every page: machines, accounts, channels and the configuration that do not work now. */
export function brokenNow(parts: BrokenParts): Broken[] {
  return [...configuration(parts), ...machines(parts), ...channels(parts), ...accounts(parts)]
}

function configuration({ configProblem }: BrokenParts): Broken[] {
  const problem = configProblem()
  if (problem === undefined) return []
  const remedy = 'Fix the file and save it. Until then, Iris keeps using the previous configuration.'
  return [{ kind: 'configuration', teams: [], what: `config.yaml has a mistake: ${problem}`, remedy }]
}

function machines({ config, machines }: BrokenParts): Broken[] {
  const lost = [...config().teams.values()].flatMap((team) => {
    const link = machines.linkOf(team.name)
    return link?.state === 'unreachable' ? [{ name: team.name, host: teamView(team).host ?? team.name, link }] : []
  })
  return [...Map.groupBy(lost, ({ host }) => host)].map(([host, teams]) => ({
    kind: 'machine' as const,
    teams: teams.map(({ name }) => name),
    ...sinceOf(teams.flatMap(({ link }) => link.since ?? [])),
    what: `The machine ${host} cannot be reached.`,
    remedy: 'Wake it up, or check its network. Iris connects again by itself.',
  }))
}

function sinceOf(times: readonly number[]): Pick<Broken, 'since'> {
  return times.length === 0 ? {} : { since: Math.min(...times) }
}

/** Only what a person has to put right: a platform that is away for a moment comes back by itself. */
function channels({ config, channels }: BrokenParts): Broken[] {
  return [...config().channels.values()].flatMap(({ name, team }) =>
    channels.stateOf(name).state === 'refused'
      ? [
          {
            kind: 'channel' as const,
            teams: [team],
            what: `The platform refuses the channel ${name}.`,
            remedy: 'The page Channels says why. Iris keeps trying.',
          },
        ]
      : [],
  )
}

function accounts({ accountLimits }: BrokenParts): Broken[] {
  return accountLimits.accounts().flatMap(({ teams, limited }) => {
    if (limited === undefined) return []
    const remedy = limitRemedy(limited.window)
    return [
      {
        kind: 'account' as const,
        teams: [...teams],
        until: limited.until,
        what: `The account of ${teams.join(', ')} ${limitName(limited.window)}.`,
        remedy: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}. Messages wait, then continue by themselves.`,
      },
    ]
  })
}

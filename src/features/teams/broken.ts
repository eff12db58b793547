import type { Broken } from '../../base/protocol/broken.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import { teamView } from './handlers/teams.ts'

interface Parts {
  readonly config: () => Pick<Config, 'teams' | 'unusable'>
  readonly machines: Pick<Machines, 'linkOf'>
}

/** The directories that config.yaml names and that nobody can use now. */
export function brokenDirectories({ config }: Pick<Parts, 'config'>): Broken[] {
  return config().unusable.map(({ team, what, remedy }) => ({
    kind: 'directory' as const,
    teams: team === undefined ? [] : [team],
    what,
    remedy: `${remedy} Iris looks again with the next message.`,
  }))
}

/** The machines of teams that cannot be reached, each once. */
export function brokenMachines({ config, machines }: Parts): Broken[] {
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

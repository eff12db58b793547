import type { Config } from '../../platform/config/config.ts'
import type { HostEntry } from './ports.ts'
import type { Refusals } from './refusals.ts'

interface DirectoryRoomParts {
  readonly config: () => Config
  readonly refusals: Pick<Refusals, 'add'>
}

/** The limit for known hosts, not counting those that config.yaml names. */
export const maxHosts = 1000
/**
 * The limit for the size of all entries together, in characters. Each team counts extra, because it is listed with its
 * state.
 */
const maxWeight = 8 * 2 ** 20
const teamWeight = 512

/**
 * Limits what this host keeps of others' announcements, and thereby its memory use and the lists that people and agents
 * get. Known hosts stay, and hosts that config.yaml names always fit. A new host that does not fit is refused; a known
 * host loses the teams that do not fit.
 */
export class DirectoryRoom {
  readonly #parts: DirectoryRoomParts
  readonly #weights = new Map<string, number>()
  #total = 0

  constructor(parts: DirectoryRoomParts) {
    this.#parts = parts
  }

  /** As much of a host's entry as there is room for. Undefined if there is no room for the host. */
  fit(name: string, said: HostEntry): HostEntry | undefined {
    const { config, refusals } = this.#parts
    const entry = this.#take(name, said, namedHosts(config()))
    if (entry === undefined)
      refusals.add(name, `there is no room for a new host: ${maxHosts} hosts, or their teams, fill it`)
    else if (entry !== said) refusals.add(name, 'there is no room for all its teams')
    return entry
  }

  #take(name: string, entry: HostEntry, named: ReadonlySet<string>): HostEntry | undefined {
    const before = this.#weights.get(name)
    const needsPlace = before === undefined && !named.has(name)
    if (needsPlace && this.#placesTaken(named) >= maxHosts) return undefined
    const room = Math.max(before ?? 0, maxWeight - this.#total + (before ?? 0))
    const fitting = weightOf(entry) <= room ? entry : { ...entry, teams: teamsWithin(room, entry) }
    const weight = weightOf(fitting)
    if (needsPlace && fitting !== entry) return undefined
    this.#weights.set(name, weight)
    this.#total += weight - (before ?? 0)
    return fitting
  }

  #placesTaken(named: ReadonlySet<string>): number {
    return this.#weights.size - [...named].filter((name) => this.#weights.has(name)).length
  }

  leave(name: string): void {
    this.#total -= this.#weights.get(name) ?? 0
    this.#weights.delete(name)
  }
}

/** The hosts that teams of config.yaml name. */
export function namedHosts({ teams }: Pick<Config, 'teams'>): ReadonlySet<string> {
  return new Set([...teams.values()].flatMap(({ hosts = [], askedBy = [] }) => [...hosts, ...askedBy]))
}

function weightOf(entry: HostEntry): number {
  return JSON.stringify(entry).length + entry.teams.length * teamWeight
}

function teamsWithin(room: number, entry: HostEntry): HostEntry['teams'] {
  let left = room - weightOf({ ...entry, teams: [] })
  return entry.teams.filter((team) => {
    left -= JSON.stringify(team).length + 1 + teamWeight
    return left >= 0
  })
}

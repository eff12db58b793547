import type { HostEntry } from './ports.ts'

/** The most other hosts that this one knows. */
export const mostHosts = 1000
/** What all entries together may take: characters, and more for each team, which is listed with its state. */
const mostWeight = 8 * 2 ** 20
const teamWeight = 512

/**
 * Keeps what this host knows of others within bounds, whoever announces what: its memory, and the lists that people and
 * agents get. Known hosts stay, and those that config.yaml names have a place. A new one that does not fit is refused; of
 * the others, the teams that do not fit are cut.
 */
export class DirectoryRoom {
  readonly #weights = new Map<string, number>()
  #total = 0

  /** The entry as far as there is room for it; undefined: there is none. `isNew`: it has no place in any case. */
  take(name: string, entry: HostEntry, isNew: boolean): HostEntry | undefined {
    const before = this.#weights.get(name)
    if (before === undefined && isNew && this.#weights.size >= mostHosts) return undefined
    const room = Math.max(before ?? 0, mostWeight - this.#total + (before ?? 0))
    const fitting = weightOf(entry) <= room ? entry : { ...entry, teams: teamsWithin(room, entry) }
    const weight = weightOf(fitting)
    if (before === undefined && isNew && fitting !== entry) return undefined
    this.#weights.set(name, weight)
    this.#total += weight - (before ?? 0)
    return fitting
  }

  leave(name: string): void {
    this.#total -= this.#weights.get(name) ?? 0
    this.#weights.delete(name)
  }
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

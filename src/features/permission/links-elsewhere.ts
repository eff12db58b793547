import type { Place } from '../../base/rule/tool-use.ts'
import type { TeamConfig } from '../../platform/config/config.ts'

type Look = (
  team: TeamConfig,
  paths: readonly string[],
  bases: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** How many paths are remembered, so that they are known when a person answers a question later. */
const maxKnown = 1000
/** Each look may reveal further paths. */
const maxLooks = 4

/** Where paths on other machines lead. Remembers where each path led when a tool was about to use it. */
export class LinksElsewhere {
  readonly #look: Look
  readonly #known = new Map<string, string>()

  constructor(look: Look = async () => new Map()) {
    this.#look = look
  }

  of(team: TeamConfig, path: string): string | undefined {
    return this.#known.get(keyOf(team, path))
  }

  /**
   * For every path that `judge` looks up, asks the machine where it leads. Undefined if `judge` looks up no path.
   * Rejects for a path that cannot be resolved.
   */
  look(team: TeamConfig, place: Place, judge: (place: Place) => unknown): Promise<void> | undefined {
    const wanted = wantedOf(place, judge, new Map())
    return wanted.length === 0 ? undefined : this.#lookFor(wanted, team, place, judge)
  }

  async #lookFor(first: readonly string[], team: TeamConfig, place: Place, judge: (place: Place) => unknown) {
    const found = new Map<string, string>()
    let wanted = first
    for (let looks = 0; wanted.length > 0 && looks < maxLooks; looks += 1) {
      for (const path of wanted) this.#known.delete(keyOf(team, path))
      const led = await this.#look(team, wanted, [place.project, place.home])
      for (const path of wanted) {
        const leadsTo = led.get(path)
        if (leadsTo === undefined) throw new Error(`Iris cannot see where ${path} leads on its machine`)
        found.set(path, leadsTo)
        this.#remember(keyOf(team, path), leadsTo)
      }
      wanted = wantedOf(place, judge, found)
    }
  }

  #remember(key: string, leadsTo: string): void {
    this.#known.set(key, leadsTo)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown) this.#known.delete(oldest!)
  }
}

function wantedOf(place: Place, judge: (place: Place) => unknown, found: ReadonlyMap<string, string>): string[] {
  const wanted = new Set<string>()
  const links = (path: string): string | undefined => {
    const known = found.get(path)
    if (known === undefined) wanted.add(path)
    return known
  }
  judge({ ...place, links })
  return [...wanted]
}

function keyOf({ name }: TeamConfig, path: string): string {
  return `${name}\0${path}`
}

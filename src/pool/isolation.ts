import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configDirectory } from '../claude/environment.ts'
import type { Config, TeamConfig } from '../config/config.ts'
import { isInside } from '../config/inside.ts'
import { IrisError } from '../protocol/error.ts'
import type { IsolationView } from '../protocol/operations/teams.ts'
import type { IsolationMeans } from '../transport/isolation.ts'
import type { Isolation } from '../transport/transport.ts'
import { type Isolated, sandboxView } from './sandbox-view.ts'

/** What agents do not get to see of this machine, and whether that holds here. */
export class Isolations {
  readonly #config: () => Config
  readonly #means: IsolationMeans
  /** The directories with secrets in them, each with what tells it from another one under its name. */
  readonly #directories: ReadonlyMap<string, string | undefined>

  readonly #exposed: () => void

  /** `exposed` is called before each start of a process that will see Iris's home. */
  constructor(config: () => Config, means: IsolationMeans, exposed: () => void = () => {}) {
    this.#config = config
    this.#means = means
    this.#exposed = exposed
    const { home, database } = config()
    const paths = [home, dirname(database.path)].map(real).filter((path) => path !== undefined)
    this.#directories = new Map(withoutInner(paths).map((path) => [path, identity(path)]))
  }

  /** What holds for a team's processes. */
  of(team: TeamConfig, process: Isolated): IsolationView {
    const level = this.#level(team)
    const { hiding, sandbox } = this.#means
    if (level === 'none') return { level, holds: false, detail: 'nothing is hidden: the configuration says so' }
    if (level === 'sandbox') {
      return 'lacks' in sandbox
        ? { level, holds: false, detail: `nothing is started: ${sandbox.lacks}` }
        : { level, holds: true, detail: 'only the project and what Claude Code needs is in sight' }
    }
    if ('lacks' in hiding) return { level, holds: false, detail: `not hidden: ${hiding.lacks}` }
    const open = this.#secret().flatMap((place) => {
      const inside = needs(team, process).find(([, path]) => isInside(place, path))
      return inside === undefined ? [] : [`not hidden: ${place}, because ${inside[0]} lies in it`]
    })
    return { level, holds: open.length === 0, detail: open.join('; ') || 'the home of Iris is hidden' }
  }

  /** How a team's process is to be started. Throws `sandbox_unavailable`, and `isolation_failed` for a home that was swapped. */
  for(team: TeamConfig, process: Isolated): Isolation | undefined {
    const level = this.#level(team)
    const { hiding, sandbox } = this.#means
    if (level === 'none' || (level === 'home' && 'lacks' in hiding)) {
      this.#exposed()
      return undefined
    }
    if (level === 'home' && 'isolate' in hiding) {
      const places = this.#secret().filter((place) => !needs(team, process).some(([, path]) => isInside(place, path)))
      for (const place of places) this.#mustBeTheSame(place)
      const home = real(this.#config().home)
      if (home === undefined || !places.some((place) => isInside(place, home))) this.#exposed()
      return places.length === 0 ? undefined : hiding.isolate(places)
    }
    if ('lacks' in sandbox) throw unavailable(team.name, sandbox.lacks)
    mkdirSync(join(configDirectory(process.env), 'sessions'), { recursive: true, mode: 0o700 })
    return sandbox.isolate(sandboxView(team, process, this.#secret()))
  }

  #level({ isolation }: TeamConfig): IsolationView['level'] {
    return isolation ?? this.#config().settings.isolation
  }

  /** config.yaml may be a link to elsewhere, and another one after each save. */
  #secret(): readonly string[] {
    const file = real(this.#config().file)
    return withoutInner([...this.#directories.keys(), ...(file === undefined ? [] : [file])])
  }

  /** Else an agent that can rename the directory around it would have an empty one hidden in its place. */
  #mustBeTheSame(place: string): void {
    if (!this.#directories.has(place) || this.#directories.get(place) === identity(place)) return
    throw new IrisError(
      'isolation_failed',
      `${place} is another directory than when Iris started, so that hiding it would hide nothing.`,
      'Put it back where it was, or restart Iris.',
    )
  }
}

/** What a process cannot do without, with words for each. */
function needs({ realPath }: TeamConfig, { executable, env }: Isolated): [string, string][] {
  const home = env['HOME']
  return [
    ['the project', realPath],
    ['the directory of Claude Code', real(configDirectory(env)) ?? configDirectory(env)],
    ['claude', real(executable) ?? executable],
    ...(home === undefined ? [] : [['the home of the user', real(home) ?? home] satisfies [string, string]]),
  ]
}

function unavailable(team: string, lacks: string): IrisError {
  return new IrisError(
    'sandbox_unavailable',
    `Team "${team}" is to run in a sandbox, and there is none on this machine: ${lacks}.`,
    'Install it (Debian and Ubuntu: apt install bubblewrap) and restart Iris, or set isolation: home for the team.',
  )
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function identity(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}

function withoutInner(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((outer) => outer !== path && isInside(outer, path)))
}

import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'
import { configDirectory } from '../../claude/driver/environment.ts'
import { socketDirectories } from '../../claude/driver/socket-directories.ts'
import type { IsolationView } from '../../features/teams/contract.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { homePaths } from '../../platform/config/home.ts'
import { isInside } from '../../platform/config/is-inside.ts'
import { secretFiles } from '../../platform/config/secret-files.ts'
import type { Isolation } from '../../platform/machine/child.ts'
import type { Narrowed } from '../../platform/machine/hiding.ts'
import type { Isolated, System } from '../../platform/machine/machine.ts'
import { renameableAround } from '../../platform/machine/renameable.ts'
import { teamEnvironment } from './claude-programs.ts'
import { conversationDirectories, memoryOfRepository } from './conversation-directories.ts'
import { keepDirectory } from './kept-directory.ts'
import { SandboxLogins } from './sandbox-logins.ts'
import { sandboxView } from './sandbox-view.ts'

/** systemd mounts a directory here for each user at the first login, and removes it after the last logout. */
const userDirectories = '/run/user'

export interface IsolationsParts {
  readonly config: () => Config
  readonly system: Pick<System, 'isolationMeans'>
  /** The daemon's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called before each start of a process that will see Iris's home. */
  readonly exposed?: () => void
}

/** Real paths of places that are hidden from agents. */
interface Places {
  /** Places with keys, passwords and tokens. */
  readonly secret: readonly string[]
  /** The conversation directories of every Claude Code that the person or a team uses. */
  readonly conversations: readonly string[]
}

/** The isolation of the teams on this computer: what is hidden from their agents, and whether that works. */
export class Isolations {
  readonly #config: () => Config
  readonly #system: IsolationsParts['system']
  readonly #environment: IsolationsParts['environment']
  readonly #logins: SandboxLogins
  /**
   * Directories with secrets, each with its identity (device and inode), because another directory may be put under its
   * name.
   */
  readonly #directories: ReadonlyMap<string, string | undefined>

  /** The places found by the latest check. Each start of a process checks again. */
  #found: { readonly config: Config; readonly places: Places } | undefined
  /** The Claude Code directories of the person and of all teams, as a configuration names them. */
  #named: { readonly config: Config; readonly directories: readonly string[] } | undefined
  /** Hidden directories for sockets, which must continue to exist. */
  readonly #kept = new Set<string>()
  readonly #exposed: () => void

  constructor({ config, system, environment, exposed = () => {} }: IsolationsParts) {
    this.#config = config
    this.#system = system
    this.#environment = environment
    this.#exposed = exposed
    const { home, database } = config()
    this.#logins = new SandboxLogins(homePaths(home).sandboxLogins)
    const paths = [home, dirname(database.path)].map(real).filter((path) => path !== undefined)
    this.#directories = new Map(withoutInner(paths).map((path) => [path, identity(path)]))
  }

  /** Describes how a team's processes are isolated. */
  async of(team: TeamConfig, process: Isolated): Promise<IsolationView> {
    const level = this.#level(team)
    const { hiding, sandbox } = await this.#system.isolationMeans()
    if (level === 'none') return { level, holds: false, detail: 'nothing is hidden: the configuration says so' }
    if (level === 'sandbox') {
      return 'lacks' in sandbox
        ? { level, holds: false, detail: `nothing is started: ${sandbox.lacks}` }
        : { level, holds: true, detail: inSight }
    }
    if ('lacks' in hiding) return { level, holds: false, detail: `not hidden: ${hiding.lacks}` }
    const { secret, conversations } = this.#lookOnce()
    const places = [...secret, ...elsewhere(conversations, process)]
    const refusal = this.#linkRefusal(places, team, process)
    if (refusal) return { level, holds: false, detail: `nothing is started: ${refusal.message}` }
    const open = [...places, projectsOf(process)].flatMap((place) => {
      const inside = needs(team, process).find(({ path }) => isInside(place, path))
      return inside === undefined ? [] : [`not hidden: ${place}, because ${inside.what} lies in it`]
    })
    return { level, holds: open.length === 0, detail: open.join('; ') || outOfSight }
  }

  /**
   * How to isolate a team's process. Resolves to undefined if the process is not isolated. Throws `sandbox_unavailable`
   * and `isolation_failed`.
   */
  async for(team: TeamConfig, process: Isolated): Promise<Isolation | undefined> {
    const level = this.#level(team)
    const { hiding, sandbox } = await this.#system.isolationMeans()
    if (level === 'none' || (level === 'home' && 'lacks' in hiding)) {
      this.#exposed()
      return undefined
    }
    const { secret, conversations } = this.#look()
    const ofOthers = elsewhere(conversations, process)
    const refusal = this.#linkRefusal([...secret, ...ofOthers], team, process)
    if (refusal) throw refusal
    const sockets = socketDirectories([this.#environment, process.env]).filter(keepDirectory)
    for (const path of sockets) this.#kept.add(path)
    if (level === 'home' && 'isolate' in hiding) {
      const isFree = (place: string): boolean => !needs(team, process).some(({ path }) => isInside(place, path))
      const hiddenSecrets = secret.filter(isFree)
      for (const place of hiddenSecrets) this.#mustBeTheSame(place)
      const home = real(this.#config().home)
      if (home === undefined || !hiddenSecrets.some((place) => isInside(place, home))) this.#exposed()
      const others = [...ofOthers, ...sockets.map((path) => realpathSync(path))]
      const hidden = withoutInner([...hiddenSecrets, ...others.filter(isFree)])
      const narrowed = isFree(projectsOf(process)) ? ownConversations(team, process) : undefined
      return hiding.isolate({
        hidden,
        narrowed,
        fixed: renameableAround([...hidden, ...(narrowed ? [narrowed.directory] : [])]),
        settled: [userDirectories].filter((path) => existsSync(path)),
      })
    }
    if ('lacks' in sandbox) throw unavailable(team.name, sandbox.lacks)
    for (const place of secret) this.#mustBeTheSame(place)
    const login = this.#logins.of(configDirectory(process.env))
    const hidden = [...secret, ...ofOthers, ...sockets]
    return sandbox.isolate(await sandboxView(team, process, { hidden, login }))
  }

  /**
   * Keeps the hidden directories for sockets in existence; called once a day. If one were removed, a new directory
   * under its name would not be hidden.
   */
  keepHidden(): void {
    for (const path of this.#kept) keepDirectory(path)
  }

  #level({ isolation }: TeamConfig): IsolationView['level'] {
    return isolation ?? this.#config().settings.isolation
  }

  /** For descriptions: without this cache, each of a thousand teams would read the paths of all others. */
  #lookOnce(): Places {
    return this.#found?.config === this.#config() ? this.#found.places : this.#look()
  }

  #look(): Places {
    const config = this.#config()
    // config.yaml may be a link with a different target after each save, and it names files with tokens.
    const files = [config.file, ...secretFiles(config, this.#environment)]
      .map(real)
      .filter((file) => file !== undefined)
    const conversations = this.#directoriesIn(config)
      .map(madeProjects)
      .filter((path) => path !== undefined)
    const secret = withoutInner([...this.#directories.keys(), ...files])
    this.#found = { config, places: { secret, conversations: [...new Set(conversations)] } }
    return this.#found.places
  }

  #directoriesIn(config: Config): readonly string[] {
    if (this.#named?.config !== config) {
      const { teams, formerTeams, settings } = config
      const known = [undefined, ...teams.values(), ...formerTeams.values()]
      const environments = known.map((team) => teamEnvironment(team, settings, this.#environment))
      const directories = [this.#environment, ...environments].map(ownDirectory).filter((path) => path !== undefined)
      this.#named = { config, directories: [...new Set(directories)] }
    }
    return this.#named.directories
  }

  /**
   * The error if the path of something that the process needs leads through a link into one of these hidden places.
   * Without this check, an agent that can write next to its project could make the place visible to itself. A path that
   * lies inside the place even before links are resolved is a person's choice, and is allowed.
   */
  #linkRefusal(places: readonly string[], team: TeamConfig, process: Isolated): IrisError | undefined {
    const { home, database } = this.#config()
    for (const { what, written, path } of needs(team, process)) {
      const place = places.find((each) => isInside(each, path))
      const isWritten = (name: string): boolean => isInside(name, written)
      if (place === undefined || [place, home, dirname(database.path)].some(isWritten)) continue
      return new IrisError(
        'isolation_failed',
        `The path of ${what}, ${written}, leads into ${place}, which Iris hides from agents.`,
        `Remove the link. If you meant that place, write its real path: ${path}.`,
      )
    }
    return undefined
  }

  /**
   * Throws `isolation_failed` if this is not the directory that Iris found at its start: an agent may have renamed the
   * directory's parent and put another directory there.
   */
  #mustBeTheSame(place: string): void {
    if (!this.#directories.has(place) || this.#directories.get(place) === identity(place)) return
    throw new IrisError(
      'isolation_failed',
      `Iris must hide ${place} from agents, but the directory was replaced since Iris started.`,
      'Restore the original directory, or restart Iris.',
    )
  }
}

const outOfSight = `hidden: the home of Iris, the conversations of other projects, the sockets of Claude Code; in sight: everything else that you can read`
const inSight = `in sight: the project and its conversations, the settings and the access token of Claude Code, the system's programs, the network`

function projectsOf({ env }: Isolated): string {
  const path = join(configDirectory(env), 'projects')
  return real(path) ?? path
}

/** Claude Code's directory according to the environment. Undefined if the environment names none. */
function ownDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['CLAUDE_CONFIG_DIR'] === undefined && env['HOME'] === undefined ? undefined : configDirectory(env)
}

/**
 * The directory of conversations, created if missing because it may be used later. Undefined if it cannot be created.
 */
function madeProjects(directory: string): string | undefined {
  const path = join(directory, 'projects')
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch {
    // The path is a dangling link or a file, or this user cannot create the directory.
  }
  return real(path)
}

/** The conversations of the person and of teams whose Claude Code directory differs from this process's. */
function elsewhere(conversations: Places['conversations'], process: Isolated): string[] {
  const own = projectsOf(process)
  return conversations.filter((place) => place !== own)
}

/**
 * The conversation directories that the process sees. Nothing lasting can be created next to them: a conversation that
 * Claude Code moved there would be lost with the process.
 */
function ownConversations({ realPath }: TeamConfig, process: Isolated): Narrowed {
  const projects = projectsOf(process)
  const conversations = conversationDirectories(projects, realPath, process.conversation?.transcript)
  const memory = memoryOfRepository(projects, realPath)
  return { directory: projects, kept: [...conversations, ...(memory === undefined ? [] : [memory])] }
}

interface Need {
  readonly what: string
  /** The path as the configuration or the environment gives it. */
  readonly written: string
  /** The same path with links resolved, if it exists. */
  readonly path: string
}

/** Places that a process needs. */
function needs({ path, realPath }: TeamConfig, { executable, env }: Isolated): Need[] {
  const home = env['HOME']
  const need = (what: string, written: string): Need => ({ what, written, path: real(written) ?? written })
  return [
    { what: 'the project', written: path, path: realPath },
    need('the directory of Claude Code', configDirectory(env)),
    need('claude', executable),
    ...(home === undefined ? [] : [need('the home of the user', home)]),
  ]
}

function unavailable(team: string, lacks: string): IrisError {
  return new IrisError(
    'sandbox_unavailable',
    `Team "${team}" must run in a sandbox, and this machine has none: ${lacks}.`,
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
  const all = new Set(paths)
  const isInner = (path: string): boolean => {
    for (let outer = dirname(path); outer !== dirname(outer); outer = dirname(outer)) if (all.has(outer)) return true
    return false
  }
  return [...all].filter((path) => !isInner(path))
}

import { resolve } from 'node:path'
import { mapInTurns } from '../../base/lib/in-turns.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { hostLoginSince, isSince } from '../../claude/driver/claude-version.ts'
import { type TerminalFacts, terminalCommand } from '../../claude/driver/command-line.ts'
import { configDirectory, processEnvironment } from '../../claude/driver/environment.ts'
import { hostChoosesLogin, noHelper } from '../../claude/driver/settings-login.ts'
import type { IsolationView } from '../../features/teams/contract.ts'
import { withoutOthers } from '../../platform/config/account.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { expandTilde } from '../../platform/config/home.ts'
import { parseRemote, terminalWords } from '../../platform/hosts/remote-command.ts'
import type { Isolated, Machines, TeamIsolation } from '../../platform/machine/machine.ts'
import { accountLogin } from './account-login.ts'
import { claudeExecutable, remoteClaude } from './claude-executable.ts'
import type { Prepared } from './launch-command.ts'
import type { LoginUses } from './login-uses.ts'
import { type OwnLogin, ownLogin, takersOf } from './own-login.ts'
import { settingsHere, settingsOfTeam } from './settings-files.ts'

export interface TeamProgramsParts {
  readonly config: () => Config
  readonly machines: Machines
  /** The tag that every process of this Iris has. Each start adds its own id. */
  readonly irisTag: string
  readonly newId: () => string
  readonly secrets: Pick<Secrets, 'add'>
  readonly loginUses: Pick<LoginUses, 'note'>
  /** The daemon's environment. A process gets only those of its variables that are allowed by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const noTerminalThere =
  'The login of this team is a token file on the machine of Iris, not on the machine of the team: a terminal there would use another login.'

const usualGraceMs = 1_800_000

/** Lookups of programs. The key contains everything on which the result depends. */
type Executables = Map<string, Promise<string>>

/** Which `claude` runs for each team, in which environment, and where it keeps conversations. */
export class TeamPrograms {
  readonly #parts: TeamProgramsParts
  /** By team: the Claude Code version of the team's last process. */
  readonly #versions = new Map<string, string | undefined>()
  /** Resolves when the current check of all teams' isolation has ended. */
  #look: Promise<unknown> = Promise.resolve()
  #nextLook: Promise<ReadonlyMap<string, IsolationView>> | undefined

  constructor(parts: TeamProgramsParts) {
    this.#parts = parts
  }

  /** Throws `unknown_team` if the team was removed from config.yaml. */
  team(name: string): TeamConfig {
    const team = workingTeam(this.#parts.config(), name)
    if (team) return team
    throw new IrisError('unknown_team', `The team "${name}" no longer exists.`, 'Add it to config.yaml again.')
  }

  /** The team if it is on another machine. Undefined if it is on this one, or is not configured. */
  remoteOf(name: string): TeamConfig | undefined {
    const team = workingTeam(this.#parts.config(), name)
    return team?.remote === undefined ? undefined : team
  }

  /** How long a process of the team continues while Iris has no connection to its machine, milliseconds. */
  linkGraceOf(name: string): number {
    return this.remoteOf(name)?.linkGrace ?? usualGraceMs
  }

  /** How the team's processes are started. Throws `claude_not_found` and `account_unusable`. */
  async of(team: TeamConfig): Promise<Isolated & Pick<Prepared, 'version' | 'login'>> {
    const login = await accountLogin(team, { ...this.#parts, home: this.#parts.config().home })
    const isolated = await this.isolated(team)
    const { machines, irisTag, newId } = this.#parts
    const machine = machines.of(team.name)
    // An agent may have replaced the program, so it runs only inside the isolation, even to print its version.
    const isolation = () => machine.isolation.for(isolated)
    const version = await machine.programVersion(isolated.executable, { isolation, tag: `${irisTag}.${newId()}` })
    const env = { ...this.#environmentIn(await machine.environment(), team, version), ...login }
    return { ...isolated, version, env, login: await this.#loginOf(team, version, env) }
  }

  /**
   * Whether a living process of the team keeps its login because no settings file would replace it. In newer builds, no
   * settings file does.
   */
  async loginHolds(name: string): Promise<boolean> {
    const team = workingTeam(this.#parts.config(), name)
    const version = this.#versions.get(name)
    if (team?.account === undefined || isSince(version, hostLoginSince)) return true
    // If the machine cannot be reached now, that is no reason to end the process there.
    const found = await settingsOfTeam(this.#parts.machines.of(name), team).catch(() => undefined)
    return found === undefined || takersOf(team, found, version).length === 0
  }

  /** Throws `account_unusable`. */
  async #loginOf(
    team: TeamConfig,
    version: string | undefined,
    env: Readonly<Record<string, string>>,
  ): Promise<OwnLogin | undefined> {
    const { machines, loginUses } = this.#parts
    this.#versions.set(team.name, version)
    if (team.account !== undefined)
      return ownLogin(team, await settingsOfTeam(machines.of(team.name), team), version, env)
    // These settings only serve to tell logins apart. If the machine fails, the start of the process reports the error.
    const found =
      team.remote === undefined
        ? settingsHere(team.realPath, this.configDirectoryOf(team.name))
        : settingsOfTeam(machines.of(team.name), team)
    const settings = await found.catch(() => undefined)
    if (settings !== undefined) loginUses.note(team.name, settings)
    return undefined
  }

  /** The facts on which a team's isolation depends. Throws `claude_not_found`. */
  async isolated(team: TeamConfig): Promise<Isolated> {
    const env = this.#environmentIn(await this.#parts.machines.of(team.name).environment(), team, undefined)
    return { executable: await this.#executable(team, env), env }
  }

  /** Where the CLI keeps a team's conversations. Works for a team that was removed from the configuration, too. */
  configDirectoryOf(name: string): string {
    const remote = this.remoteOf(name)
    if (remote !== undefined)
      return { ...this.#parts.config().settings.env, ...remote.env }['CLAUDE_CONFIG_DIR'] ?? '~/.claude'
    return configDirectory(this.#environmentOf(workingTeam(this.#parts.config(), name) ?? { env: {} }, undefined))
  }

  /** The command with which a person continues a conversation in a terminal. */
  terminalCommand(name: string, sessionId: string): string {
    if (this.#tokenIsHere(this.team(name))) return `echo '${noTerminalThere}' >&2; false`
    return terminalCommand({ ...this.terminalFacts(name), sessionId })
  }

  /**
   * The facts for a terminal that is opened right now, based on the project's current settings files. Throws
   * `account_unusable` and `claude_not_found`.
   */
  async terminalFactsNow(name: string): Promise<Omit<TerminalFacts, 'sessionId'>> {
    const facts = this.terminalFacts(name)
    if (facts.login === undefined) return facts
    const { login } = await this.of(this.team(name))
    // The token is left out: it is read from the token file on the machine where the terminal starts.
    const { CLAUDE_CODE_OAUTH_TOKEN: _, ...own } = { ...login?.env }
    const variables = { ...withoutOthers, ...own, ...login?.handed }
    return { ...facts, login: { ...facts.login, variables, settings: login?.settings } }
  }

  /** Throws `account_unusable` if a terminal on the team's machine would use another account. */
  terminalFacts(name: string): Omit<TerminalFacts, 'sessionId'> {
    const team = this.team(name)
    if (this.#tokenIsHere(team))
      throw new IrisError('account_unusable', noTerminalThere, 'Log in there, and set account.configDirectory instead.')
    if (team.remote !== undefined) return this.#factsElsewhere(team)
    const env = this.#environmentOf(team, undefined)
    const executable = team.claudePath ?? this.#parts.config().settings.claudePath ?? 'claude'
    const isOwnHome = env['HOME'] === this.#parts.environment['HOME']
    const home = isOwnHome ? undefined : env['HOME']
    const { realPath: directory, account } = team
    const tokenFile = account?.tokenFile && resolve(this.#parts.config().home, this.#expanded(account.tokenFile))
    // The settings in a `configDirectory` may contain its login.
    const closed = tokenFile === undefined ? {} : { settings: noHelper }
    const variables = { ...withoutOthers, ...(tokenFile !== undefined && hostChoosesLogin) }
    const login = account && { variables, tokenFile, ...closed }
    return { directory, executable, configDirectory: env['CLAUDE_CONFIG_DIR'], home, login }
  }

  #expanded(path: string): string {
    return expandTilde(path, this.#parts.environment)
  }

  /**
   * Whether the token of the team's account is in a file on this machine, while a terminal would be on another machine.
   */
  #tokenIsHere({ remote, account }: TeamConfig): boolean {
    return remote !== undefined && account?.tokenFile !== undefined
  }

  #factsElsewhere({ realPath: directory, remote = '', remoteOptions, claudePath, env, account }: TeamConfig) {
    const executable = claudePath ?? 'claude'
    const configDirectory = { ...this.#parts.config().settings.env, ...env }['CLAUDE_CONFIG_DIR']
    const through = terminalWords(parseRemote(remote, remoteOptions))
    const login = account && { variables: withoutOthers, tokenFile: undefined }
    return { directory, executable, configDirectory, home: undefined, through, login }
  }

  /** Whether these teams' agents are isolated as configured, by name. */
  async isolationsOf(names: Iterable<string>): Promise<ReadonlyMap<string, IsolationView>> {
    // All teams are read first, because a team can be removed while others are being examined.
    const teams = Array.from(names, (name) => ({ team: this.team(name), ...this.#parts.machines.of(name) }))
    // Most teams use the same program, so it is looked up once for all of them.
    const executables: Executables = new Map()
    const found = await mapInTurns(teams, async ({ team, isolation }) => {
      const view = await this.#isolationOf(team, isolation, executables).catch(unlessUnknown)
      return view === undefined ? [] : [[team.name, view] as const]
    })
    return new Map(found.flat())
  }

  /**
   * Like `isolationsOf`, for all configured teams. Callers that ask during a check share the next one. So at most two
   * checks happen, however many callers ask at once, and no answer is older than its question.
   */
  isolationsOfAll(): Promise<ReadonlyMap<string, IsolationView>> {
    this.#nextLook ??= this.#look.then(() => {
      this.#nextLook = undefined
      const look = this.isolationsOf(this.#parts.config().teams.keys())
      this.#look = look.catch(() => {})
      return look
    })
    return this.#nextLook
  }

  async #isolationOf(team: TeamConfig, isolation: TeamIsolation, executables: Executables): Promise<IsolationView> {
    const env = this.#environmentOf(team, undefined)
    return isolation.of({ executable: await this.#executableHere(team, env, executables), env })
  }

  /** Another machine is not asked, because it may not answer. */
  #executableHere(
    team: TeamConfig,
    env: Readonly<Record<string, string>>,
    executables: Executables,
  ): Promise<string> | '/' {
    if (team.remote !== undefined) return '/'
    const key = JSON.stringify([team.claudePath, env['PATH']])
    const executable = executables.get(key) ?? this.#executable(team, env).catch(() => '/')
    executables.set(key, executable)
    return executable
  }

  /** A team's environment on this machine. */
  #environmentOf(team: Pick<TeamConfig, 'env'>, version: string | undefined): Record<string, string> {
    return this.#environmentIn(this.#parts.environment, team, version)
  }

  #environmentIn(
    machine: Readonly<Record<string, string | undefined>>,
    team: Pick<TeamConfig, 'env'>,
    version: string | undefined,
  ): Record<string, string> {
    const { settings } = this.#parts.config()
    return processEnvironment({ daemon: machine, settings: settings.env, team: team.env, version })
  }

  async #executable(team: TeamConfig, env: Readonly<Record<string, string>>): Promise<string> {
    const machine = this.#parts.machines.of(team.name)
    const path = env['PATH'] ?? ''
    if (team.remote !== undefined) return remoteClaude(team, machine)
    return claudeExecutable(team.claudePath ?? this.#parts.config().settings.claudePath, path, machine)
  }
}

/** A team may have been removed meanwhile. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof IrisError && error.code === 'unknown_team')) throw error
}

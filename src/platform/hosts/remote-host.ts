import { randomUUID } from 'node:crypto'
import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { silentHost } from './attachment.ts'
import { CommandShell, type CommandShellParts } from './command-shell.ts'
import { DirectoryWatch } from './directory-watch.ts'
import type { HostChannel, HostPrograms, HostRun, HostShell, RemoteChild } from './host.ts'
import { type CommandLimits, type HostAnswer, HostCommands } from './host-commands.ts'
import { HostError } from './host-error.ts'
import { HostFailure, type HostFailureReason, hostFailure } from './host-failure.ts'
import { endLimited } from './limit-tag.ts'
import { PrivateFiles } from './private-files.ts'
import type { Scripts } from './remote-tree.ts'
import { SupervisedPrograms } from './supervised-programs.ts'

/**
 * Whether a machine can be reached, according to the last attempt or the last lost link. Times are milliseconds since
 * the epoch.
 */
export type HostState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'connecting' | 'connected'; readonly since: number }
  | { readonly kind: 'unreachable'; readonly since: number; readonly reason: HostFailureReason; readonly why: string }

/** The environment of a login shell there. */
export type HostEnvironment = Readonly<Record<string, string>>

export interface RemoteHostParts extends CommandShellParts {
  /**
   * The tag of everything that this Iris starts there; all its daemons share this tag. Without it, Iris does not end
   * what an earlier daemon left there.
   */
  readonly formerTag?: string
  /** Whether the program to which an earlier Iris gave this message may continue with it. */
  readonly isAwaited?: (message: string) => boolean
}

/** How long the programs of a dead daemon have to write their transcripts before they are killed, milliseconds. */
const endMs = 1000
/**
 * How long a stopping daemon waits for the end of processes that programs or an earlier daemon left there,
 * milliseconds.
 */
const closeMs = 5000

/** Another machine, shared by all teams that are reached in the same way. */
export class RemoteHost implements Scripts {
  readonly shell: CommandShell
  readonly programs: HostPrograms
  /** Files that programs there need. */
  readonly privateFiles: PrivateFiles
  /** Like `run`, but in a separate shell, for work that nobody waits for. */
  readonly background: Scripts
  readonly #commands: HostCommands
  readonly #backgroundCommands: HostCommands
  readonly #clock: Clock
  #state: HostState = { kind: 'unknown' }
  readonly #formerTag: string | undefined
  readonly #isAwaited: (message: string) => boolean
  #formerEnded: Promise<unknown> | undefined
  #environment: Promise<HostEnvironment> | undefined
  #home: string | undefined
  readonly #endings = new Set<Promise<void>>()

  constructor(parts: RemoteHostParts) {
    this.shell = new CommandShell(parts)
    this.#clock = parts.clock
    this.#formerTag = parts.formerTag
    this.#isAwaited = parts.isAwaited ?? (() => false)
    const shell: HostShell = { name: this.shell.name, open: () => this.#opened() }
    this.programs = new SupervisedPrograms({ shell, clock: parts.clock, newId: randomUUID })
    this.#commands = new HostCommands(shell, this.shell.typed, parts.clock)
    this.#backgroundCommands = new HostCommands(shell, this.shell.typed, parts.clock)
    this.background = {
      name: this.name,
      run: (script, limits) => this.#run(this.#backgroundCommands, script, limits),
      watchOf: (directory) => this.watchOf(directory),
    }
    this.privateFiles = new PrivateFiles(this.#commands, parts.formerTag ?? 'none')
  }

  get name(): string {
    return this.shell.name
  }

  get state(): HostState {
    return this.#state
  }

  /** The home directory there; undefined before `environment` has been read. */
  get home(): string | undefined {
    return this.#home
  }

  /** Runs a script there. Throws `host_unreachable`. */
  run(script: string, limits?: CommandLimits): Promise<HostAnswer> {
    return this.#run(this.#commands, script, limits)
  }

  async #run(commands: HostCommands, script: string, limits?: CommandLimits): Promise<HostAnswer> {
    try {
      await this.endFormer()
      return await commands.run(script, limits)
    } catch (error) {
      throw this.failed(error)
    }
  }

  watchOf(directory: string): DirectoryWatch {
    return new DirectoryWatch({ open: () => this.#opened(), clock: this.#clock, directory })
  }

  /** Reads the environment once. Throws `host_unreachable`. */
  environment(): Promise<HostEnvironment> {
    this.#environment ??= this.#readEnvironment().catch((error: unknown) => {
      this.#environment = undefined
      throw error
    })
    return this.#environment
  }

  /**
   * Ends every program of this conversation there, whichever daemon started it: otherwise two programs would write to
   * one transcript.
   */
  async endRunsOf(session: string): Promise<void> {
    await this.endFormer()
    for (const run of await this.programs.runs()) {
      if (run.session === session && run.alive) await this.programs.sweep(run.tag, endMs)
    }
  }

  /**
   * Attaches to the program of this conversation to which an earlier Iris sent this message, and reads its output from
   * that message on. Undefined if there is no such program; in that case, all programs of this conversation there have
   * been ended. Rejects while the machine cannot be reached.
   */
  async runOf(session: string, message: string): Promise<{ child: RemoteChild; tag: string } | undefined> {
    await this.endFormer()
    const run = (await this.programs.runs()).find((each) => each.session === session && isAt(each, message))
    const child = run && (await this.#attached(run))
    if (run && child?.message === message) return { child, tag: run.tag }
    await child?.detach()
    await this.endRunsOf(session)
    return undefined
  }

  /** Undefined if the output since the message no longer exists, or if the program has just ended. */
  async #attached({ run, message }: HostRun): Promise<RemoteChild | undefined> {
    try {
      return await this.programs.attach(run, message?.offset)
    } catch (error) {
      if (error instanceof HostError && (error.kind === 'protocol' || error.kind === 'unknown_run')) return undefined
      throw error
    }
  }

  /**
   * Ends an earlier daemon's programs there, which may still be writing. Happens only once, before any other request.
   * Keeps the programs whose message is awaited. Rejects while the machine cannot be reached.
   */
  endFormer(): Promise<unknown> {
    if (this.#formerTag === undefined) return Promise.resolve()
    this.#formerEnded ??= this.#endUnawaited(this.#formerTag)
      .then(() => this.privateFiles.sweep())
      .catch((error: unknown) => {
        this.#formerEnded = undefined
        throw error
      })
    return this.#formerEnded
  }

  async #endUnawaited(formerTag: string): Promise<void> {
    const runs = (await this.programs.runs()).filter(({ tag }) => tag.startsWith(`${formerTag}.`))
    const isKept = (run: HostRun): boolean =>
      run.message !== undefined && isAt(run, run.message.id) && this.#isAwaited(run.message.id)
    const unawaited = runs.filter((run) => !isKept(run))
    if (unawaited.length === runs.length) await this.programs.sweep(formerTag, endMs)
    else for (const { tag } of unawaited) await this.programs.sweep(tag, endMs)
    await endLimited(
      this.#commands,
      unawaited.map(({ tag }) => tag),
    )
  }

  /** Ends the processes left behind by a program that has ended by itself. */
  endLeft(tag: string): void {
    const ending = endLimited(this.background, [tag])
      .catch(() => {})
      .finally(() => this.#endings.delete(ending))
    this.#endings.add(ending)
  }

  /** Converts a failure of the machine to `host_unreachable` and records it; returns other errors unchanged. */
  failed(error: unknown): unknown {
    const failure = error instanceof HostError ? failureIn(error, this.shell.typed) : error
    if (!(failure instanceof HostFailure)) return error
    const { message, remedy } = failure
    this.#isUnreachable(failure)
    return new IrisError('host_unreachable', `The machine ${this.name} cannot be used: ${message}.`, remedy, {
      cause: error,
    })
  }

  async close(): Promise<void> {
    const ended = new AbortController()
    const former = this.#formerEnded?.catch(() => {})
    await Promise.race([Promise.all([former, ...this.#endings]), pause(this.#clock, closeMs, ended.signal)])
    ended.abort()
    await this.privateFiles.removed()
    await Promise.all([this.#commands.close(), this.#backgroundCommands.close()])
    await this.shell.close()
  }

  /** Records that a program there has lost its link. */
  lost(why: string): void {
    // ssh has not noticed yet that the shared connection is silent too. Until it does, anything opened through that
    // connection would wait.
    if (why === silentHost && this.#state.kind !== 'unreachable') this.shell.renew()
    this.shell.checkConnection()
    this.#isUnreachable({ reason: 'lost', message: why })
  }

  #is(kind: 'connecting' | 'connected'): void {
    if (this.#state.kind !== kind) this.#state = { kind, since: this.#clock.now() }
  }

  #isUnreachable({ reason, message: why }: Pick<HostFailure, 'reason' | 'message'>): void {
    const since = this.#state.kind === 'unreachable' ? this.#state.since : this.#clock.now()
    this.#state = { kind: 'unreachable', since, reason, why }
  }

  async #opened(): Promise<HostChannel> {
    if (this.#state.kind === 'unknown') this.#is('connecting')
    try {
      const channel = await this.shell.open()
      this.#is('connected')
      return channel
    } catch (error) {
      if (error instanceof HostFailure) this.#isUnreachable(error)
      throw error
    }
  }

  async #readEnvironment(): Promise<HostEnvironment> {
    const { output } = await this.run(`printf 'HOME=%s\\n' "$HOME"; env`)
    const environment: Record<string, string> = {}
    // A value is cut at its first line break; the values needed here have none.
    for (const line of output.toString('utf8').split('\n')) {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
      if (name !== undefined && value !== undefined) environment[name] ??= value
    }
    this.#home = environment['HOME']
    return environment
  }
}

function isAt({ alive, message }: HostRun, id: string): boolean {
  return alive && message?.id === id
}

const reasons: Partial<Record<HostError['kind'], HostFailureReason>> = {
  link_lost: 'lost',
  no_shell: 'no_shell',
  disk_full: 'disk_full',
  not_writable: 'not_writable',
}

/** Passes the program's own errors on unchanged; errors of the machine become a HostFailure. */
function failureIn(error: HostError, typed: string): unknown {
  const { kind, message } = error
  if (kind === 'no_directory' || kind === 'no_executable' || kind === 'bad_input') return error
  const text = message.replace(/\.$/, '')
  return hostFailure(reasons[kind] ?? 'no_answer', text, typed, error)
}

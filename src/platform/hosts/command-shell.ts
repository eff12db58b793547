import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/lib/clock.ts'
import { AnsweredChild } from './answered-child.ts'
import type { ConnectionDirectory } from './connection-directory.ts'
import type { HostChannel, HostShell } from './host.ts'
import { failureOf, HostFailure, hostFailure } from './host-failure.ts'
import type { RemoteCommand } from './remote-command.ts'
import { shellQuoted } from './shell-words.ts'

export interface CommandShellParts {
  readonly command: RemoteCommand
  /** Starts the client on this machine. */
  readonly start: (executable: string, args: readonly string[]) => Promise<HostChannel>
  readonly connections: ConnectionDirectory
  readonly clock: Clock
}

/**
 * Options that ssh always gets: nobody can answer questions, and a lost machine must be noticed. The user's own options
 * take precedence.
 */
const always = ['BatchMode=yes', 'ServerAliveInterval=15', 'ServerAliveCountMax=3', 'ConnectTimeout=10']
/**
 * Overrides options in ssh_config that are meant for interactive use. They would make ssh run a different command or
 * none, give it no input, go to the background, or exit because a port is in use.
 */
const asProgram = ['RemoteCommand=none', 'ExitOnForwardFailure=no']
/** More overrides for the same purpose. OpenSSH has had these options since 8.7; older versions reject their names. */
const asProgramSince87 = ['StdinNull=no', 'ForkAfterAuthentication=no', 'SessionType=default']
const refusesName = /bad configuration option: (stdinnull|forkafterauthentication|sessiontype)/i

/** How long an unused shared connection stays open, seconds. */
const persistSeconds = 300
/**
 * The exit code of ssh if there is no connection. Other clients sometimes exit with it too, which only costs a wait.
 */
const lostConnection = 255
/** How long the remote shell may take to answer, milliseconds. This is longer than ssh takes to give up. */
const answerMs = 30_000

/**
 * Starts a POSIX shell with a login's environment, whatever the user's own shell is: all these shells treat single
 * quotes alike. A profile that reads stdin gets no input.
 */
const loginShell = `exec sh -c 'case "\${SHELL##*/}" in bash|zsh|ksh|dash|ash|sh|fish) exec "$SHELL" -l -c "exec sh <&3 3<&-" 3<&0 </dev/null;; *) exec sh;; esac'`

/** A machine behind a command: ssh, or another program that provides a POSIX shell on its stdin and stdout. */
export class CommandShell implements HostShell {
  readonly name: string
  readonly #parts: CommandShellParts
  /** Part of the name of the shared connection. `renew` increments it. */
  #generation = 0
  #isConnected = false
  /** Whether this machine's ssh is older than OpenSSH 8.7. */
  #isOldSsh = false
  /** The attempt in progress while no connection is known to be alive. */
  #attempt: Promise<HostChannel> | undefined

  constructor(parts: CommandShellParts) {
    this.#parts = parts
    this.name = parts.command.name
  }

  /** The command with which a person reaches the machine, for copying. */
  get typed(): string {
    const { program, args, destination } = this.#parts.command
    const words = [program, ...args, ...(destination === undefined ? [] : [destination])]
    return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word))).join(' ')
  }

  /**
   * While no connection is known to be alive, all callers share one attempt and its failure. Otherwise ssh clients that
   * start at the same time would each open their own connection, because none would find another client's connection
   * yet.
   */
  async open(): Promise<HostChannel> {
    while (!this.#isConnected && this.#attempt) await this.#attempt
    if (this.#isConnected) return this.#open()
    this.#attempt = this.#open()
    try {
      return await this.#attempt
    } finally {
      this.#attempt = undefined
    }
  }

  async #open(): Promise<HostChannel> {
    const { clock } = this.#parts
    const generation = this.#generation
    const child = await this.#started()
    const answered = new AnsweredChild(child, this.typed, clock)
    try {
      await answered.expect(randomUUID(), answerMs)
    } catch (error) {
      this.#isConnected = false
      const failure = await this.#failure(child, error)
      if (this.#isOldSsh || !refusesName.test(child.stderr())) throw failure
      this.#isOldSsh = true
      return this.#open()
    }
    this.#isConnected = generation === this.#generation
    void child.exited.then(({ code }) => {
      if (code === lostConnection && generation === this.#generation) this.#isConnected = false
    })
    return answered
  }

  /** Ends the shared connection. */
  async close(): Promise<void> {
    const { command, connections } = this.#parts
    if (command.kind !== 'ssh' || !connections.isMade) return
    await this.control('exit', []).catch(() => undefined)
  }

  /** Path of the local socket that receives connections through a tunnel; undefined if no tunnel is possible. */
  get tunnelSocket(): string | undefined {
    const { command, connections } = this.#parts
    return command.kind === 'ssh' ? connections.tunnelFor(command.key) : undefined
  }

  /** Sends the shared connection a command, see `-O` in ssh(1). Rejects with HostFailure if ssh cannot be started. */
  async control(what: 'exit' | 'forward' | 'cancel', args: readonly string[]) {
    const { program, destination } = this.#parts.command
    const child = await this.#client(program, ['-O', what, ...args, ...this.#sshWords(), destination!])
    let output = ''
    child.read((chunk) => {
      output = (output + chunk.toString('latin1')).slice(0, 1000)
      return undefined
    })
    const { code } = await child.exited
    return { code, output, stderr: child.stderr() }
  }

  #started(): Promise<HostChannel> {
    const { kind, program, args, destination } = this.#parts.command
    return this.#client(program, kind === 'ssh' ? [...this.#sshWords(), '--', destination!, loginShell] : args)
  }

  async #client(program: string, words: readonly string[]): Promise<HostChannel> {
    try {
      return await this.#parts.start(program, words)
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      const message = isMissing ? `there is no program "${program}" on this machine` : `${program} could not be started`
      throw hostFailure('no_client', message, this.typed, error)
    }
  }

  /** Makes later channels use another shared connection. The current one ends once ssh notices that it is dead. */
  renew(): void {
    this.#generation += 1
    this.checkConnection()
  }

  /** The next channel shows whether the connection is alive, and all other channels wait for that. */
  checkConnection(): void {
    this.#isConnected = false
  }

  #sshWords(): string[] {
    const { command, connections } = this.#parts
    const shared = [
      'ControlMaster=auto',
      `ControlPersist=${persistSeconds}`,
      `ControlPath=${connections.socketFor(`${command.key}#${this.#generation}`)}`,
    ]
    const options = [...always, ...asProgram, ...(this.#isOldSsh ? [] : asProgramSince87), ...shared]
    return ['-T', ...command.args, ...options.flatMap((option) => ['-o', option])]
  }

  async #failure(child: HostChannel, error: unknown): Promise<HostFailure> {
    if (error instanceof HostFailure) {
      await child.stop('now')
      return error
    }
    const exit = await child.exited
    return failureOf(child.stderr(), this.typed, exit.code)
  }
}

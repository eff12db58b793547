import { isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import { terminalSafe, withoutActing } from '../../base/lib/visible.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { spawnDaemon } from './spawn-daemon.ts'
import { cutTo, filled } from './wrapped.ts'

export type SpawnDaemon = typeof spawnDaemon

interface WithDescriptor {
  readonly fd?: number
}

export type CommandInput = Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>> & WithDescriptor
export type CommandOutput = Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>> & WithDescriptor

/**
 * The parts of its process that a command uses. The program passes the process itself; tests pass streams that they can
 * read.
 */
export interface Surroundings {
  readonly env: Environment
  /** The directory in which the command was typed. */
  readonly cwd: string
  readonly stdin: CommandInput
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  /** The process that started this one. */
  readonly parentPid: number
  /**
   * Calls the listener for each such signal, which then no longer ends the process. Returns a function that removes the
   * listener.
   */
  readonly onSignal: (signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) => () => void
  /** Sends the process a signal. */
  readonly raise: (signal: NodeJS.Signals) => void
  /** Starts the daemon in the background. Default: as a program that outlives the command. */
  readonly spawnDaemon?: SpawnDaemon
}

/** Drawn on the terminal below all output. */
interface Drawn {
  hideWhile(writeLines: () => void): void
}

/** The inputs and outputs of one command run. Commands use this instead of `process`. */
export class CommandContext {
  readonly #surroundings: Surroundings
  #drawn: Drawn | undefined
  /**
   * Homes whose daemon this run has used. If such a daemon was stopped on purpose, this run does not start it again.
   */
  readonly usedHomes = new Set<string>()

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  get env(): Environment {
    return this.#surroundings.env
  }

  get cwd(): string {
    return this.#surroundings.cwd
  }

  get stdin(): CommandInput {
    return this.#surroundings.stdin
  }

  get stdout(): CommandOutput {
    return this.#surroundings.stdout
  }

  get stderr(): CommandOutput {
    return this.#surroundings.stderr
  }

  get parentPid(): number {
    return this.#surroundings.parentPid
  }

  /** Whether a person at a terminal can answer questions. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.stdout.isTTY === true
  }

  /** The width of stdout in columns; without a limit where it is no terminal. */
  get width(): number {
    return this.stdout.columns ?? Number.POSITIVE_INFINITY
  }

  /** The absolute path of a typed path. */
  pathOf(typed: string): string {
    return isAbsolute(typed) ? typed : join(this.cwd, typed)
  }

  onSignal(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): () => void {
    return this.#surroundings.onSignal(signal, listener)
  }

  /** Listens for the first such signal only; a second one ends the process. */
  onceSignal(signal: NodeJS.Signals, listener: () => void): void {
    const end = this.onSignal(signal, () => {
      end()
      listener()
    })
  }

  raise(signal: NodeJS.Signals): void {
    this.#surroundings.raise(signal)
  }

  get spawnDaemon(): SpawnDaemon | undefined {
    return this.#surroundings.spawnDaemon
  }

  /** Sets the line below the output. There is one terminal, so at most one such line. */
  drawsBelow(line: Drawn): void {
    this.#drawn = line
  }

  /** Prints a line on stdout, safe for terminals: agents may have written parts of it. */
  say(text = ''): void {
    this.#writeLine(this.stdout, fitted(terminalSafe(text), this.stdout))
  }

  /** Prints a text that a person may copy, such as code. Only the terminal breaks its lines. */
  sayAsWritten(text: string): void {
    this.#writeLine(this.stdout, terminalSafe(text))
  }

  /** The same as `say`, on stderr. */
  note(text: string): void {
    this.#writeLine(this.stderr, fitted(terminalSafe(text), this.stderr))
  }

  /**
   * Prints one line on stderr that is less prominent than the output: dim at a terminal with colours, and cut at the
   * terminal's edge.
   */
  aside(text: string): void {
    const { isTTY, columns = 0 } = this.stderr
    const line = terminalSafe(text.replaceAll(/\s*\n\s*/g, ' '))
    if (!isTTY) return this.#writeLine(this.stderr, line)
    const shown = columns > 0 ? cutTo(line, columns) : line
    this.#writeLine(this.stderr, this.env['NO_COLOR'] ? shown : `\u001b[2m${shown}\u001b[22m`)
  }

  /** Prints one line of JSON for programs, with escapes for characters that a terminal would interpret. */
  sayJson(value: unknown): void {
    const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    this.stdout.write(`${withoutActing(JSON.stringify(value), escaped)}\n`)
  }

  #writeLine(stream: CommandOutput, line: string): void {
    const write = (): void => void stream.write(`${line}\n`)
    if (this.#drawn !== undefined && stream.isTTY) this.#drawn.hideWhile(write)
    else write()
  }
}

/** Breaks lines between words if the output is a terminal of known width. */
function fitted(text: string, { isTTY, columns = 0 }: CommandOutput): string {
  return isTTY && columns > 0 ? filled(text, columns) : text
}

import type { Clock } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { HostChannel } from './host.ts'
import { HostError } from './host-error.ts'
import { bootCommand, supervisorText } from './supervisor-text.ts'

/** How much a host may print besides the supervisor's lines, such as the greeting of a login. */
const maxNoiseBytes = 256 * 1024
/**
 * How many bytes all of the supervisor's lines on one connection may have in total; the list of all runs is the longest
 * answer.
 */
const maxLinesBytes = 4 * 1024 * 1024
const maxStatusBytes = 4096
const lineFeed = 0x0a
/** How many of the last characters on stderr are kept, to tell why a link was lost. */
const keptErrors = 2000

type OnOutput = (chunk: Buffer) => Promise<void> | undefined

/**
 * One connection to the supervisor on a host. Its stdout has lines that begin with this connection's nonce and, after
 * the line `out`, the output of a program. Its stderr has lines that begin with `=iris`, and other messages from the
 * link.
 */
export class SupervisorChannel {
  readonly nonce: string
  /** Resolves with the reason when the link is gone. */
  readonly gone: Promise<string>
  /** The longest line, in bytes, that the host passes on atomically. */
  atomicBytes = 512
  readonly #channel: HostChannel
  readonly #clock: Clock
  readonly #gone = deferred<string>()
  /** Resolves in `readOutput`, which may be called before or after the line `out`. */
  readonly #reader = deferred<OnOutput>()
  /** Set once the bytes of a program go straight to the reader. */
  #onOutput: OnOutput | undefined
  /** The line `out` has arrived. */
  #isRaw = false
  #buffered: Buffer = Buffer.alloc(0)
  #lines: string[] = []
  #linesBytes = 0
  #noiseBytes = 0
  #waiting: (() => void) | undefined
  #isLate = false
  #fault: HostError | undefined
  #onStatus: (words: readonly string[]) => void = () => {}
  #errors = ''
  #isGone = false

  constructor(channel: HostChannel, nonce: string, clock: Clock) {
    this.#channel = channel
    this.nonce = nonce
    this.#clock = clock
    this.gone = this.#gone.promise
    const status = new LineSplitter({
      maxLineBytes: maxStatusBytes,
      onLine: (line) => {
        const words = line.split(' ')
        if (words[0] === '=iris') this.#onStatus(words.slice(1))
        else this.#errors = `${this.#errors}${line}\n`.slice(-keptErrors)
      },
      onOversize: () => {},
    })
    channel.readErrors((chunk) => status.push(chunk))
    channel.read((chunk) => this.#take(chunk))
    void channel.exited.then(({ code }) => this.drop(this.#errors.trim() || `the shell ended (exit code ${code})`))
  }

  /** Turns a fresh shell into the supervisor. Sends the supervisor's text first if the host lacks it. */
  async boot(patienceMs: number): Promise<void> {
    this.write(bootCommand(this.nonce))
    let [word, ...rest] = await this.line(patienceMs)
    if (word === 'need') {
      this.write(`${Buffer.byteLength(supervisorText)}\n${supervisorText}`)
      ;[word, ...rest] = await this.line(patienceMs)
    }
    if (word === 'refused') throw refusal(rest)
    const atomic = Number(rest[2])
    if (word !== 'ready' || !Number.isSafeInteger(atomic)) throw new HostError('protocol', unexpected(word))
    this.atomicBytes = atomic
  }

  /** The next line of the supervisor as words, without the nonce. */
  async line(patienceMs: number): Promise<readonly string[]> {
    const cancelTimer = this.#clock.after(patienceMs, () => {
      this.#isLate = true
      this.#waiting?.()
    })
    try {
      while (this.#lines.length === 0) {
        if (this.#fault) throw this.#fault
        if (this.#isGone) throw new HostError('link_lost', `The link was lost: ${await this.gone}.`)
        if (this.#isLate) throw new HostError('no_shell', `No POSIX shell answered within ${patienceMs} ms.`)
        await new Promise<void>((resolve) => {
          this.#waiting = resolve
        })
      }
      return this.#lines.shift()!.split(' ')
    } finally {
      cancelTimer()
      this.#isLate = false
    }
  }

  /** Passes on everything after the line `out`. A returned promise is awaited before more is read. */
  readOutput(onOutput: OnOutput): void {
    this.#reader.resolve(onOutput)
  }

  /** Passes on the words of each status line. */
  readStatus(onStatus: (words: readonly string[]) => void): void {
    this.#onStatus = onStatus
  }

  write(text: string): void {
    // Input that the host had not taken when a link was lost is sent again over the next link.
    this.#channel.write(text).catch(() => {})
  }

  /** Ends the connection; the program there continues. */
  drop(why: string): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#onStatus = () => {}
    this.#gone.resolve(why)
    this.#waiting?.()
    void this.#channel.stop('now')
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    if (this.#isGone) return undefined
    if (this.#onOutput) return this.#onOutput(chunk)
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    while (!this.#isRaw) {
      const end = this.#buffered.indexOf(lineFeed)
      if (end === -1) break
      this.#takeLine(this.#buffered.subarray(0, end))
      this.#buffered = this.#buffered.subarray(end + 1)
    }
    if (this.#isRaw) return this.#reader.promise.then((onOutput) => this.#beginOutput(onOutput))
    if (this.#buffered.length + this.#noiseBytes > maxNoiseBytes || this.#linesBytes > maxLinesBytes) {
      this.#fault = new HostError('protocol', 'The host sent more than Iris asked for.')
      this.drop(this.#fault.message)
    }
    return undefined
  }

  #takeLine(line: Buffer): void {
    const text = line.toString('utf8')
    if (!text.startsWith(`${this.nonce} `)) {
      this.#noiseBytes += line.length
      return
    }
    this.#linesBytes += line.length
    this.#lines.push(text.slice(this.nonce.length + 1))
    this.#isRaw = this.#lines.at(-1)!.startsWith('out ')
    this.#waiting?.()
  }

  async #beginOutput(onOutput: OnOutput): Promise<void> {
    const rest = this.#buffered
    this.#buffered = Buffer.alloc(0)
    this.#onOutput = onOutput
    if (rest.length > 0 && !this.#isGone) await onOutput(rest)
  }
}

const refusals: Readonly<Record<string, readonly [HostError['kind'], string]>> = {
  not_writable: ['not_writable', 'Iris cannot create a directory in ~/.cache or /tmp on the host.'],
  disk_full: ['disk_full', 'The disk of the host is full.'],
  no_directory: ['no_directory', 'The directory does not exist on the host, or cannot be entered.'],
  no_executable: ['no_executable', 'The program does not exist on the host, or cannot be run.'],
  bad_input: ['bad_input', 'The shell of the host refuses the command or its environment.'],
  unknown_run: ['unknown_run', 'The host does not know this run.'],
}

export function unexpected(word: string | undefined): string {
  return `The host answered "${word}", which Iris does not expect here.`
}

export function refusal([reason = '', ...rest]: readonly string[]): HostError {
  const known = Object.hasOwn(refusals, reason) ? refusals[reason] : undefined
  return known
    ? new HostError(...known)
    : new HostError('protocol', `The host refused: ${[reason, ...rest].join(' ')}.`)
}

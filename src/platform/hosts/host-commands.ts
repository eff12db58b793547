import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/lib/clock.ts'
import type { HostChannel, HostShell } from './host.ts'
import { type HostFailure, hostFailure } from './host-failure.ts'

export interface HostAnswer {
  readonly status: number
  /** The standard output of the script. */
  readonly output: Buffer
}

export interface CommandLimits {
  /** The longest permitted answer, in bytes; a longer one drops the connection. */
  readonly mostBytes?: number
  readonly timeoutMs?: number
}

const usualBytes = 256 * 1024
const usualMs = 20_000
/** How long an unused shell stays open, in milliseconds. */
const idleMs = 120_000

/** The longest end marker: a line feed, a UUID, a blank, an exit code, a line feed. */
const maxEnd = 64

interface Question {
  readonly channel: HostChannel
  readonly end: Buffer
  readonly mostBytes: number
  readonly answer: PromiseWithResolvers<HostAnswer>
  readonly chunks: Buffer[]
  bytes: number
  last: Buffer
}

/**
 * Runs short scripts on another machine, one after the other, in one shell that stays open. The machine is not trusted:
 * each answer is limited in size and time, and ends with a random word that the machine learns only with the script.
 */
export class HostCommands {
  readonly #shell: HostShell
  readonly #typed: string
  readonly #clock: Clock
  #channel: Promise<HostChannel> | undefined
  #question: Question | undefined
  #line: Promise<unknown> = Promise.resolve()
  #cancelIdle = (): void => {}
  #closed = false

  /** `typed`: the command with which a person would reach the machine, for remedies. */
  constructor(shell: HostShell, typed: string, clock: Clock) {
    this.#typed = typed
    this.#shell = shell
    this.#clock = clock
  }

  /** Runs a script in a subshell without standard input. Rejects with HostFailure. */
  run(script: string, limits: CommandLimits = {}): Promise<HostAnswer> {
    const turn = this.#line.then(() => this.#run(script, limits))
    this.#line = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelIdle()
    const channel = await this.#channel?.catch(() => undefined)
    await channel?.stop('now')
  }

  async #run(script: string, { mostBytes = usualBytes, timeoutMs = usualMs }: CommandLimits): Promise<HostAnswer> {
    if (this.#closed) throw this.#lost('Iris is stopping')
    this.#cancelIdle()
    const channel = await this.#opened()
    const word = randomUUID()
    const end = Buffer.from(`\n${word} `)
    const question: Question = {
      channel,
      end,
      mostBytes,
      answer: Promise.withResolvers(),
      chunks: [],
      bytes: 0,
      last: Buffer.alloc(0),
    }
    this.#question = question
    const cancelTimer = this.#clock.after(timeoutMs, () => {
      question.answer.reject(hostFailure('no_answer', `it has not answered within ${timeoutMs} ms`, this.#typed))
    })
    try {
      await channel.write(`(\n${script}\n) </dev/null 2>/dev/null; printf '\\n%s %d\\n' ${word} $?\n`).catch(() => {})
      return await question.answer.promise
    } catch (error) {
      // Otherwise output that arrives late would be taken for the answer to the next question.
      this.#channel = undefined
      void channel.stop('now')
      throw error
    } finally {
      cancelTimer()
      this.#question = undefined
      this.#cancelIdle = this.#clock.after(idleMs, () => this.#letGo())
    }
  }

  #opened(): Promise<HostChannel> {
    if (this.#channel !== undefined) return this.#channel
    const opening = this.#shell.open().then((channel) => {
      channel.read((chunk) => this.#take(channel, chunk))
      void channel.exited.then(() => {
        if (this.#channel === opening) this.#channel = undefined
        if (this.#question?.channel === channel) this.#question.answer.reject(this.#lost('the connection has ended'))
      })
      return channel
    })
    this.#channel = opening
    opening.catch(() => {
      if (this.#channel === opening) this.#channel = undefined
    })
    return opening
  }

  /** Ignores the output of a dropped channel, because the current question belongs to a different channel. */
  #take(channel: HostChannel, chunk: Buffer): undefined {
    const question = this.#question
    if (question?.channel !== channel) return
    question.chunks.push(chunk)
    question.bytes += chunk.length
    if (question.bytes > question.mostBytes + maxEnd) {
      question.answer.reject(hostFailure('no_answer', 'it sends more output than expected', this.#typed))
      return
    }
    // The end marker may be split between chunks.
    const last = Buffer.concat([question.last, chunk])
    question.last = last.subarray(-maxEnd)
    const at = last.lastIndexOf(question.end)
    const said = at === -1 ? null : /^(\d{1,3})\n$/.exec(last.toString('latin1', at + question.end.length))
    if (said === null) return
    const all = Buffer.concat(question.chunks)
    const output = all.subarray(0, all.length - (last.length - at))
    question.answer.resolve({ status: Number(said[1]), output })
  }

  #letGo(): void {
    const channel = this.#channel
    this.#channel = undefined
    void channel?.then((open) => open.stop('now'))
  }

  #lost(why: string): HostFailure {
    return hostFailure('lost', why, this.#typed)
  }
}

import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Command } from '../machine/child.ts'
import type { GivenMessage, HostPrograms, HostRun, HostShell, RemoteChild, RunOptions } from './host.ts'
import { HostError } from './host-error.ts'
import { type FoundRun, type RunBegin, SupervisedChild } from './remote-child.ts'
import { parseRunEnd } from './run-end.ts'
import { mustBeWord, runSpec } from './run-spec.ts'
import { refusal, SupervisorChannel, unexpected } from './supervisor-channel.ts'

/** How long the host may take for one answer, milliseconds; includes sending the supervisor's text. */
const answerMs = 30_000
/** How long Iris retries a start whose link was lost, milliseconds. */
const startMs = 60_000
const betweenStartsMs = 500
const maxUnreadBytes = 256 * 1024 * 1024
const maxRuns = 10_000

export interface SupervisedProgramsParts {
  readonly shell: HostShell
  readonly clock: Clock
  /** Returns an unguessable id that is never used again: letters, digits and hyphens. */
  readonly newId: () => string
  /** If there is more unread output than this, in bytes, the program has to wait. */
  readonly mostUnreadBytes?: number
}

/** Programs on one host, each kept by a supervisor there that outlives every link. See docs/decisions/0034. */
export class SupervisedPrograms implements HostPrograms {
  readonly #parts: SupervisedProgramsParts
  readonly #nonces = new Set<string>()

  constructor(parts: SupervisedProgramsParts) {
    this.#parts = parts
  }

  async start(command: Command, options: RunOptions): Promise<RemoteChild> {
    const { run, tag, session, graceMs } = options
    const spec = runSpec(command)
    const words = [mustBeWord(run, 'a run'), mustBeWord(tag, 'a tag'), mustBeWord(session, 'a session')]
    const numbers = [Math.max(1, Math.round(graceMs / 1000)), this.#parts.mostUnreadBytes ?? maxUnreadBytes]
    const request = `start ${[...words, ...numbers, Buffer.byteLength(spec)].join(' ')}\n${spec}`
    const { channel } = await this.#started(await this.#open(), request, run)
    const child = this.#child({ channel, size: 0 }, run, { from: 0, isNew: true }, tag)
    await child.ready
    return child
  }

  async runs(): Promise<readonly HostRun[]> {
    const channel = await this.#open()
    try {
      channel.write('runs\n')
      const runs: HostRun[] = []
      for (;;) {
        const [word, ...rest] = await channel.line(answerMs)
        if (word === 'end') return runs
        if (word !== 'run' || runs.length === maxRuns) throw new HostError('protocol', unexpected(word))
        runs.push(toRun(rest))
      }
    } finally {
      channel.drop('it has answered')
    }
  }

  async attach(run: string, from?: number): Promise<RemoteChild> {
    const known = (await this.runs()).find((each) => each.run === mustBeWord(run, 'a run'))
    if (known === undefined) throw refusal(['unknown_run'])
    const offset = from ?? known.acknowledged
    const child = this.#child(await this.#attached(run, offset), run, { from: offset, isNew: false }, known.tag)
    await child.ready
    return child
  }

  async sweep(tag: string, graceMs: number): Promise<number> {
    const [word, count] = await this.#ask(`sweep ${mustBeWord(tag, 'a tag')} ${Math.ceil(graceMs / 1000)}`, graceMs)
    if (word !== 'swept') throw new HostError('protocol', unexpected(word))
    return Number(count)
  }

  #child({ channel, ...found }: Attached, run: string, begin: RunBegin, tag: string): SupervisedChild {
    return new SupervisedChild(channel, {
      ...begin,
      found,
      run,
      clock: this.#parts.clock,
      reattach: async (offset) => (await this.#attached(run, offset)).channel,
      sweep: () => this.sweep(tag, 0),
      isOwn: (nonce) => this.#nonces.has(nonce),
    })
  }

  /**
   * Sends the same start request until it is answered. The run's directory on the host is created only once, so a copy
   * of the request that arrives late starts nothing.
   */
  async #started(first: SupervisorChannel, request: string, run: string): Promise<Attached> {
    const { clock } = this.#parts
    const began = clock.elapsed()
    let channel: SupervisorChannel | undefined = first
    for (let fault: unknown; ; ) {
      try {
        channel ??= await this.#open()
        channel.write(request)
        const [word, ...rest] = await channel.line(answerMs)
        if (word === 'out') return { channel, size: 0 }
        channel.drop('it has refused')
        if (word !== 'refused') throw new HostError('protocol', unexpected(word))
        if (rest[0] === 'exists') return await this.#attached(run, 0)
        throw refusal(rest)
      } catch (error) {
        channel?.drop('it did not start anything')
        channel = undefined
        if (error instanceof HostError && error.kind !== 'link_lost') throw error
        fault = error
      }
      if (clock.elapsed() - began > startMs) {
        void this.#bury(run)
        throw new HostError('link_lost', 'The link was lost while the program was started, and did not come back.', {
          cause: fault,
        })
      }
      await pause(clock, betweenStartsMs)
    }
  }

  /**
   * A start request that was sent may still arrive. Once the host is reachable, this keeps that request from starting
   * the program.
   */
  async #bury(run: string): Promise<void> {
    for (let waitMs = 1000; ; waitMs = Math.min(waitMs * 2, 60_000)) {
      const buried = await this.#ask(`bury ${run}`, 0).catch(() => undefined)
      if (buried?.[0] === 'buried') return
      await pause(this.#parts.clock, waitMs)
    }
  }

  async #ask(request: string, graceMs: number): Promise<readonly string[]> {
    const channel = await this.#open()
    try {
      channel.write(`${request}\n`)
      return await channel.line(answerMs + graceMs)
    } finally {
      channel.drop('it has answered')
    }
  }

  async #attached(run: string, from: number): Promise<Attached> {
    const channel = await this.#open()
    try {
      channel.write(`attach ${run} ${from}\n`)
      const [word, ...rest] = await channel.line(answerMs)
      if (word === 'refused') throw refusal(rest)
      if (word !== 'out' || Number(rest[0]) !== from)
        throw new HostError('protocol', 'The host attached at a different position in the output than Iris asked for.')
      const [, size = '', ...message] = rest
      if (!/^\d{1,15}$/.test(size)) throw new HostError('protocol', 'The host did not say how much output it has.')
      return { channel, size: Number(size), ...toMessage(message) }
    } catch (error) {
      channel.drop('it was refused')
      throw error
    }
  }

  async #open(): Promise<SupervisorChannel> {
    const { shell, clock, newId } = this.#parts
    const nonce = newId()
    this.#nonces.add(nonce)
    const channel = new SupervisorChannel(await shell.open(), nonce, clock)
    try {
      await channel.boot(answerMs)
      return channel
    } catch (error) {
      channel.drop('it is not a supervisor')
      throw error
    }
  }
}

function toRun([
  run = '',
  tag = '',
  session = '',
  pid,
  now,
  bytes,
  acknowledged,
  offset,
  frame,
  message,
  ...record
]: readonly string[]): HostRun {
  const end = record[0] === '-' && record.length === 1 ? undefined : parseRunEnd(record)
  const numbers = [pid, bytes, acknowledged].map(Number)
  if (numbers.some((number) => !Number.isSafeInteger(number))) {
    throw new HostError('protocol', 'The host described its programs in a form that Iris does not know.')
  }
  const [id = 0, size = 0, read = 0] = numbers
  const facts = { run, tag, session, pid: id, alive: now === 'alive', exit: end?.exit, bytes: size, acknowledged: read }
  return { ...facts, ...toMessage([offset, frame, message]) }
}

/** A channel that is attached to a run, and the state of the run at that time. */
interface Attached extends FoundRun {
  readonly channel: SupervisorChannel
}

function toMessage(words: readonly (string | undefined)[]): { message?: GivenMessage } {
  const [offset = '', frame = '', id = ''] = words
  if (!/^\d{1,15} \d{1,15}$/.test(`${offset} ${frame}`)) return {}
  return { message: { offset: Number(offset), frame: Number(frame), id } }
}

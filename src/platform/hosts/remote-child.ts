import { type Clock, pause } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { Exit, StopManner } from '../../base/lib/program-end.ts'
import { BehaviorSubject, Subject } from '../../base/lib/subject.ts'
import type { ChildStatus } from '../machine/child.ts'
import { Attachment, type AttachmentListener } from './attachment.ts'
import type { GivenMessage, Link, RemoteChild } from './host.ts'
import { HostError } from './host-error.ts'
import { PendingFrames } from './pending-frames.ts'
import { type RunEnd, reasonTexts } from './run-end.ts'
import type { SupervisorChannel } from './supervisor-channel.ts'

const stopGraceMs = { idle: 5000, busy: 5000, now: 0 } as const
const firstPauseMs = 100
const maxPauseMs = 1000
/** How much of a message's output the host keeps, in bytes, so that Iris can read it again after being killed. */
const keptBytes = 64 * 1024 * 1024
const lineFeed = 0x0a
/**
 * A run is removed after it has ended. If the link is then lost this many times, Iris leaves the removal to the host.
 */
const maxRemovals = 5

export interface RunBegin {
  /** The offset from which the program's output is wanted. */
  readonly from: number
  /** Whether nobody has written to the program before. */
  readonly isNew: boolean
}

/** The state of a run when Iris attached to it. */
export interface FoundRun {
  /** Length of the run's output, in bytes. */
  readonly size: number
  readonly message?: GivenMessage
}

interface SupervisedChildParts extends RunBegin {
  readonly found: FoundRun
  readonly run: string
  readonly clock: Clock
  /** Attaches once, from this byte on. Rejects with HostError or with the reason why the host cannot be reached. */
  readonly reattach: (from: number) => Promise<SupervisorChannel>
  /** Ends everything that the program started, including processes in other process sessions. */
  readonly sweep: () => Promise<unknown>
  readonly isOwn: (nonce: string) => boolean
}

type Consumer = (chunk: Buffer) => Promise<void> | undefined

/** A program under a supervisor: transfers every byte once in both directions, over any number of links. */
export class SupervisedChild implements RemoteChild, AttachmentListener {
  readonly run: string
  readonly exited: Promise<Exit>
  /** Resolves when the host accepts input, or the program has ended. */
  readonly ready: Promise<void>
  readonly #parts: SupervisedChildParts
  readonly #frames: PendingFrames
  readonly #exit = deferred<Exit>()
  readonly #ready = deferred<void>()
  readonly #consumer = deferred<Consumer>()
  readonly #released = new AbortController()
  readonly #link: BehaviorSubject<Link>
  readonly #status = new BehaviorSubject<ChildStatus>('running')
  readonly #errors = new Subject<Error>()
  readonly status$ = this.#status.asObservable()
  readonly errors$ = this.#errors.asObservable()
  readonly link$
  #pid = 0
  #onChunk: Consumer | undefined
  #received: number
  /** Offset of the last, still incomplete line. */
  #lineBegin: number
  #messageBegin: number | undefined
  #taken = 0
  readonly #caughtUp = deferred<void>()
  #attachment: Attachment | undefined
  #channel: SupervisorChannel
  #stderr = ''
  #hasExited = false
  #isRemoved = false
  #removals = 0
  #signal: 'TERM' | 'KILL' | undefined
  #gone: Promise<Exit> | undefined

  constructor(channel: SupervisorChannel, parts: SupervisedChildParts) {
    this.#parts = parts
    this.run = parts.run
    this.#frames = new PendingFrames(parts.isNew ? 0 : undefined)
    this.#received = parts.from
    this.#lineBegin = parts.from
    if (parts.found.message) this.#messageBegin = parts.from
    if (parts.found.size <= parts.from) this.#caughtUp.resolve()
    this.exited = this.#exit.promise
    this.ready = this.#ready.promise
    this.#link = new BehaviorSubject<Link>({ kind: 'connected', since: parts.clock.now() })
    this.link$ = this.#link.asObservable()
    this.#channel = channel
    this.#attach(channel)
    void this.#keepLink()
  }

  get pid(): number {
    return this.#pid
  }

  get message(): string | undefined {
    const { message } = this.#parts.found
    return message !== undefined && message.frame <= this.#taken ? message.id : undefined
  }

  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise
  }

  get link(): Link {
    return this.#link.value
  }

  read(onChunk: Consumer): void {
    this.#onChunk = onChunk
    this.#consumer.resolve(onChunk)
  }

  stderr(): string {
    return this.#stderr
  }

  write(text: string, message?: string): Promise<void> {
    if (message !== undefined) this.#messageBegin = this.#lineBegin
    const taken = this.#frames.add(text, message === undefined ? undefined : { id: message, offset: this.#lineBegin })
    this.#attachment?.send()
    return taken
  }

  stop(manner: StopManner): Promise<Exit> {
    if (this.#status.value === 'running') this.#status.next('stopping')
    this.#ask(manner)
    this.#gone ??= this.exited.then(async (exit) => {
      await this.#parts.sweep().catch((error: unknown) => this.#errors.next(error as Error))
      return exit
    })
    return this.#gone
  }

  async detach(): Promise<void> {
    this.#released.abort()
    this.#channel.drop('Iris detached from it')
    this.#close()
  }

  onOutput(chunk: Buffer): Promise<void> | undefined {
    const lineEnd = chunk.lastIndexOf(lineFeed)
    if (lineEnd !== -1) this.#lineBegin = this.#received + lineEnd + 1
    this.#received += chunk.length
    const upto = this.#received
    const busy = this.#onChunk ? this.#onChunk(chunk) : this.#consumer.promise.then((onChunk) => onChunk(chunk))
    if (busy === undefined) this.#hasRead(upto)
    return busy?.then(() => this.#hasRead(upto))
  }

  onReady(pid: number, taken: number): void {
    this.#pid = pid
    this.#taken = Math.max(this.#taken, taken)
    this.#ready.resolve()
    if (this.#signal) this.#attachment?.signal(this.#signal)
  }

  onEnd({ exit, pid, why }: RunEnd, stderr: Buffer): void {
    this.#pid ||= pid
    this.#finish(exit, `${stderr.toString('utf8')}${reasonTexts[why]}`)
    this.#attachment?.remove()
  }

  onRemoved(): void {
    this.#isRemoved = true
    this.#channel.drop('the program has ended')
  }

  onFault(error: HostError): void {
    this.#errors.next(error)
    if (error.kind === 'taken_over') void this.detach()
  }

  /** The host keeps the latest message's output, up to `keptBytes`: after a crash Iris reads it again. */
  #hasRead(upto: number): void {
    if (upto >= this.#parts.found.size) this.#caughtUp.resolve()
    this.#attachment?.acknowledge(Math.max(this.#messageBegin ?? upto, upto - keptBytes))
  }

  #ask(manner: StopManner): void {
    if (this.#hasExited) return
    if (manner === 'idle') {
      this.#frames.add(undefined).catch(() => {})
      this.#attachment?.send()
    } else {
      this.#signal = manner === 'busy' ? 'TERM' : 'KILL'
      this.#attachment?.signal(this.#signal)
    }
    if (manner === 'now') return
    const cancelTimer = this.#parts.clock.after(stopGraceMs[manner], () =>
      this.#ask(manner === 'idle' ? 'busy' : 'now'),
    )
    void this.exited.then(cancelTimer)
  }

  #attach(channel: SupervisorChannel): void {
    const { clock, isOwn } = this.#parts
    this.#channel = channel
    this.#attachment = new Attachment({
      channel,
      frames: this.#frames,
      clock,
      isOwn,
      from: this.#received,
      listener: this.#only(channel),
    })
  }

  /** Ignores events from a link that has been dropped. */
  #only(channel: SupervisorChannel): AttachmentListener {
    const isPresent = (): boolean => this.#channel === channel
    return {
      onOutput: (chunk) => (isPresent() ? this.onOutput(chunk) : undefined),
      onReady: (pid, taken) => isPresent() && this.onReady(pid, taken),
      onEnd: (end, stderr) => isPresent() && this.onEnd(end, stderr),
      onRemoved: () => isPresent() && this.onRemoved(),
      onFault: (error) => isPresent() && this.onFault(error),
    }
  }

  /** Reconnects each time the link is lost, until the run is over. */
  async #keepLink(): Promise<void> {
    while (!this.#isOver) {
      const why = await this.#channel.gone
      this.#attachment = undefined
      if (this.#isOver || (this.#hasExited && ++this.#removals > maxRemovals)) break
      await this.#reconnect(why)
    }
    this.#close()
  }

  async #reconnect(lastWords: string): Promise<void> {
    const { clock, reattach } = this.#parts
    const since = clock.now()
    let why = lastWords
    for (let attempts = 0, waitMs = firstPauseMs; !this.#isOver; attempts += 1) {
      this.#link.next({ kind: 'lost', since, why, attempts })
      try {
        const channel = await reattach(this.#received)
        if (this.#isOver) return channel.drop('Iris detached from it')
        this.#attach(channel)
        this.#link.next({ kind: 'connected', since: clock.now() })
        return
      } catch (error) {
        why = error instanceof Error ? error.message : String(error)
        if (error instanceof HostError && error.kind === 'unknown_run') return this.#vanish(error)
      }
      await pause(clock, waitMs, this.#released.signal)
      waitMs = Math.min(waitMs * 2, maxPauseMs)
    }
  }

  /** The run directory is gone: it was removed after the program ended, or by something else. */
  #vanish(error: HostError): void {
    this.#isRemoved = true
    if (this.#hasExited) return
    this.#errors.next(error)
    this.#finish({ code: null, signal: 'SIGKILL' }, reasonTexts.vanished)
  }

  get #isOver(): boolean {
    return this.#isRemoved || this.#released.signal.aborted
  }

  #finish(exit: Exit, stderr: string): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#stderr = stderr
    this.#frames.close(new Error('its stdin is closed'))
    this.#status.next('stopped')
    this.#ready.resolve()
    this.#caughtUp.resolve()
    this.#exit.resolve(exit)
  }

  #close(): void {
    if (this.#link.value.kind === 'closed') return
    this.#link.next({ kind: 'closed', since: this.#parts.clock.now() })
    this.#link.complete()
    this.#status.complete()
    this.#errors.complete()
  }
}

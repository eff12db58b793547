import { type Clock, every } from '../../base/lib/clock.ts'
import { HostError } from './host-error.ts'
import type { PendingFrames } from './pending-frames.ts'
import { parseRunEnd, type RunEnd } from './run-end.ts'
import type { SupervisorChannel } from './supervisor-channel.ts'

const heartbeatMs = 5000
/** After this many heartbeats without anything from the host, the link counts as lost. */
const maxMissed = 3
/** Why a link counts as lost although nothing has reported its loss. */
export const silentHost = `the host said nothing for ${(heartbeatMs * maxMissed) / 1000} s`
const maxTrailerBytes = 1024 * 1024

/** Receives the events of a link to a run. */
export interface AttachmentListener {
  /** Bytes of the program's stdout. A returned promise is awaited before more is read. */
  onOutput(chunk: Buffer): Promise<void> | undefined
  /** The host accepts input and the program has taken `taken` frames of it, or the program has ended. */
  onReady(pid: number, taken: number): void
  /** All of the output has been read. */
  onEnd(end: RunEnd, stderr: Buffer): void
  /** The run directory was removed. */
  onRemoved(): void
  onFault(error: HostError): void
}

interface AttachmentParts {
  readonly channel: SupervisorChannel
  readonly frames: PendingFrames
  readonly listener: AttachmentListener
  readonly clock: Clock
  /** The offset in the output where this link begins. */
  readonly from: number
  /** Whether a nonce belongs to one of this Iris's connections, rather than to another Iris. */
  readonly isOwn: (nonce: string) => boolean
}

/**
 * One link to one run, from the host's line `out` to the loss of the link. Checks the host's messages, and drops the
 * link after an impossible one.
 */
export class Attachment {
  readonly #parts: AttachmentParts
  readonly #cancelHeartbeat: () => void
  #received: number
  #isReady = false
  #isPaused = false
  #missed = 0
  #beats = 0
  #acknowledged = 0
  #toAcknowledge = 0
  #end: RunEnd | undefined
  #isEnding = false
  #trailer: Buffer | undefined

  constructor(parts: AttachmentParts) {
    this.#parts = parts
    this.#received = parts.from
    const { channel, clock } = parts
    this.#cancelHeartbeat = every(clock, heartbeatMs, () => this.#beat())
    void channel.gone.then(this.#cancelHeartbeat)
    channel.readStatus((words) => this.#guarded(() => this.#status(words)))
    channel.readOutput((chunk) => this.#output(chunk))
  }

  /** Sends the frames that may be sent now. */
  send(): void {
    if (!this.#isReady) return
    const wire = this.#parts.frames.next(this.#parts.channel.atomicBytes)
    if (wire !== '') this.#parts.channel.write(wire)
  }

  signal(name: 'TERM' | 'KILL'): void {
    this.#parts.channel.write(`s ${name}\n`)
  }

  /** Tells the host that it need not keep the output before this offset. */
  acknowledge(offset: number): void {
    this.#toAcknowledge = offset
  }

  /** Removes the run directory. */
  remove(): void {
    this.#parts.channel.write('x 0\n')
  }

  #beat(): void {
    const { channel } = this.#parts
    if (!this.#isPaused && this.#missed++ >= maxMissed) {
      channel.drop(silentHost)
      return
    }
    this.#beats += 1
    if (this.#toAcknowledge > this.#acknowledged) channel.write(`k ${this.#toAcknowledge}\n`)
    this.#acknowledged = this.#toAcknowledge
    channel.write(`p ${this.#beats}\n`)
  }

  #guarded(take: () => void): void {
    try {
      take()
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      this.#parts.listener.onFault(error)
      this.#parts.channel.drop(error.message)
    }
  }

  #status([word = '', ...rest]: readonly string[]): void {
    const { channel, frames, listener, isOwn } = this.#parts
    this.#missed = 0
    if (word === 'at') {
      const [nonce = '', taken = '', pid = ''] = rest
      if (nonce !== channel.nonce) {
        // Either an old line that is still in the file, or a line for a later connection, which this connection sees
        // until it ends.
        if (this.#isReady && !isOwn(nonce))
          throw new HostError('taken_over', 'Another Iris has taken the program over.')
        return
      }
      frames.begin(Number(taken))
      this.#isReady = true
      listener.onReady(Number(pid), Number(taken))
      this.send()
    } else if (word === 'got') {
      // Before this link is ready, such a line is meant for an earlier connection.
      if (!this.#isReady) return
      frames.took(Number(rest[0]))
      this.send()
    } else if (word === 'exit') {
      if (this.#end) return
      this.#end = parseRunEnd(rest)
      listener.onReady(this.#end.pid, 0)
      this.#finishOutput()
    } else if (word === 'removed') listener.onRemoved()
    else if (word === 'full') listener.onFault(new HostError('disk_full', 'The disk of the host is full.'))
    else if (word === 'broken') frames.close(new HostError('bad_input', 'its stdin is closed'))
  }

  #output(chunk: Buffer): Promise<void> | undefined {
    this.#missed = 0
    if (this.#trailer !== undefined) {
      this.#guarded(() => this.#takeTrailer(chunk))
      return undefined
    }
    this.#received += chunk.length
    const busy = this.#parts.listener.onOutput(chunk)
    if (busy === undefined) return this.#finishOutput()
    this.#isPaused = true
    return busy.finally(() => {
      this.#isPaused = false
      this.#finishOutput()
    })
  }

  /** Once all of the output has arrived, requests the end of stderr, which follows in the same stream. */
  #finishOutput(): undefined {
    if (this.#end === undefined || this.#isEnding || this.#isPaused || this.#received < this.#end.bytes) return
    this.#isEnding = true
    this.#trailer = Buffer.alloc(0)
    this.#parts.channel.write('e 0\n')
  }

  #takeTrailer(chunk: Buffer): void {
    const { channel, listener } = this.#parts
    this.#trailer = Buffer.concat([this.#trailer!, chunk])
    if (this.#trailer.length > maxTrailerBytes) {
      throw new HostError('protocol', 'The host sent more than the program has written.')
    }
    const sign = `\n${channel.nonce} err `
    const begin = this.#trailer.indexOf(sign)
    const lineEnd = begin === -1 ? -1 : this.#trailer.indexOf('\n', begin + sign.length)
    if (lineEnd === -1) return
    const length = Number(this.#trailer.toString('latin1', begin + sign.length, lineEnd))
    const stderr = this.#trailer.subarray(lineEnd + 1)
    if (stderr.length >= length && this.#end) listener.onEnd(this.#end, stderr.subarray(0, length))
  }
}

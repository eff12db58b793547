import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { HostError } from './host-error.ts'

/** A frame with which a message begins, and where the program's output stood before it: a line's first byte. */
export interface BegunMessage {
  /** Letters, digits and hyphens. */
  readonly id: string
  readonly offset: number
}

interface Frame {
  readonly number: number
  /** Undefined: the end of stdin. */
  readonly text: string | undefined
  readonly begins: BegunMessage | undefined
  readonly taken: Deferred<void>
}

/** The supervisor's own queue holds 8 KiB and more on every system; what is in it must never fill it. */
const windowBytes = 6000
/** Longer ones are quicker as files. */
const longestLine = 2000
const plainLine = /^[ -~]*\n$/

/**
 * What the program's stdin has not taken yet. Each frame has a number, for ever; over a new link everything is sent again that
 * the host has not taken, and the number tells it what it has already.
 */
export class PendingFrames {
  #frames: Frame[] = []
  #last = 0
  /** Of the frames the host has taken, the number of the last one; and of those sent over this link. */
  #taken = 0
  #sent = 0
  #inFlight = 0
  #highestSent = 0
  #end: Error | undefined
  /** What the host had taken before, from another Iris: numbers there go on from it. */
  #before: number | undefined

  constructor(before: number | undefined) {
    this.#before = before
  }

  /** Resolves when the program's stdin has taken it. */
  add(text: string | undefined, begins?: BegunMessage): Promise<void> {
    if (this.#end) return Promise.reject(this.#end)
    const frame = { number: ++this.#last, text, begins, taken: deferred<void>() }
    this.#frames.push(frame)
    return frame.taken.promise
  }

  /** A new link: nothing has been sent over it. Throws HostError when the host claims what cannot be. */
  begin(taken: number): void {
    this.#before ??= taken
    this.took(taken)
    this.#sent = this.#taken
    this.#inFlight = 0
  }

  /** The host has taken all up to this number. */
  took(there: number): void {
    const number = there - (this.#before ?? 0)
    if (!Number.isSafeInteger(number) || number < this.#taken || number > this.#highestSent) {
      throw new HostError('protocol', `The host claims to have taken input ${number} of ${this.#highestSent}.`)
    }
    this.#taken = number
    while (this.#frames.length > 0 && this.#frames[0]!.number <= number) {
      const frame = this.#frames.shift()!
      if (frame.number <= this.#sent) this.#inFlight -= cost(frame)
      frame.taken.resolve()
    }
  }

  /** What may be sent now, as it goes over the link. */
  next(atomicBytes: number): string {
    const longest = Math.min(longestLine, atomicBytes - 64)
    let wire = ''
    for (const frame of this.#frames) {
      if (frame.number <= this.#sent) continue
      if (this.#inFlight > 0 && this.#inFlight + cost(frame) > windowBytes) break
      this.#inFlight += cost(frame)
      this.#sent = frame.number
      this.#highestSent = Math.max(this.#highestSent, frame.number)
      const number = frame.number + (this.#before ?? 0)
      // Before its frame, so that the host never has a message of which it does not know where it began.
      if (frame.begins) wire += `d ${frame.begins.offset} ${number} ${frame.begins.id}\n`
      wire += onWire(number, frame.text, longest)
    }
    return wire
  }

  /** Nothing is taken any more. */
  close(error: Error): void {
    this.#end = error
    for (const { taken } of this.#frames) taken.reject(error)
    this.#frames = []
  }
}

/** Bytes in the supervisor's queue. */
function cost({ text }: Frame): number {
  return 64 + (text === undefined || text.length > longestLine ? 0 : text.length)
}

function onWire(number: number, text: string | undefined, longest: number): string {
  if (text === undefined) return `c ${number}\n`
  // Shells pass on exactly what is plain; everything else is counted in bytes.
  if (text.length <= longest && plainLine.test(text)) return `w ${number} ${text}`
  return `f ${number} ${Buffer.byteLength(text)}\n${text}`
}

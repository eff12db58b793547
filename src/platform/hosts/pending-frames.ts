import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { HostError } from './host-error.ts'

/** The message that a frame begins, and the offset of the program's output before it: the first byte of a line. */
export interface BegunMessage {
  /** Letters, digits and hyphens. */
  readonly id: string
  readonly offset: number
}

/** `w`: a shell passes the line on unchanged; `q`: the line contains escapes for `printf %b`. */
interface Line {
  readonly kind: 'w' | 'q'
  readonly text: string
}

interface Frame {
  readonly number: number
  /** Undefined for the end of stdin. */
  readonly text: string | undefined
  /** The text as a line of ASCII; undefined if the text is long or has several lines, and for the end of stdin. */
  readonly line: Line | undefined
  readonly begins: BegunMessage | undefined
  readonly taken: Deferred<void>
}

/**
 * The limit for frames that were sent but not yet taken, in bytes. It keeps the supervisor's queue, of 8 KiB or more,
 * from filling up.
 */
const windowBytes = 6000
/** Longer lines are sent as files, which is faster. */
const maxLine = 2000
const plainLine = /^[ -~]*\n$/
/** A shell cannot handle NUL. */
const oneLine = /^[^\n\0]*\n$/

/**
 * Input that the program's stdin has not taken yet. Each frame has a permanent number. A new link sends again all
 * frames that the host has not taken. By their numbers, the host recognizes frames that it already has.
 */
export class PendingFrames {
  #frames: Frame[] = []
  #last = 0
  /** The numbers of the last frame that the host has taken and of the last frame sent over this link. */
  #taken = 0
  #sent = 0
  #inFlight = 0
  #highestSent = 0
  #end: Error | undefined
  /** How many frames the host had already taken from another Iris; its numbering continues from there. */
  #before: number | undefined

  constructor(before: number | undefined) {
    this.#before = before
  }

  /** Resolves when the program's stdin has taken the text; undefined is the end of stdin. */
  add(text: string | undefined, begins?: BegunMessage): Promise<void> {
    if (this.#end) return Promise.reject(this.#end)
    const frame = { number: ++this.#last, text, line: lineOf(text), begins, taken: deferred<void>() }
    this.#frames.push(frame)
    return frame.taken.promise
  }

  /** Begins a new link, over which nothing has been sent yet. Throws HostError for an impossible number. */
  begin(taken: number): void {
    this.#before ??= taken
    this.took(taken)
    this.#sent = this.#taken
    this.#inFlight = 0
  }

  /** Records that the host has taken all frames up to this number. Throws HostError for an impossible number. */
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

  /** The frames that may be sent now, in the form in which they are sent over the link. */
  next(atomicBytes: number): string {
    const longest = Math.min(maxLine, atomicBytes - 64)
    let wire = ''
    for (const frame of this.#frames) {
      if (frame.number <= this.#sent) continue
      if (this.#inFlight > 0 && this.#inFlight + cost(frame) > windowBytes) break
      this.#inFlight += cost(frame)
      this.#sent = frame.number
      this.#highestSent = Math.max(this.#highestSent, frame.number)
      const number = frame.number + (this.#before ?? 0)
      // Sent before the message's frame, so that the host never has a message without knowing where it began.
      if (frame.begins) wire += `d ${frame.begins.offset} ${number} ${frame.begins.id}\n`
      wire += onWire(number, frame, longest)
    }
    return wire
  }

  /** Rejects all frames that have not been taken, and all later ones. */
  close(error: Error): void {
    this.#end = error
    for (const { taken } of this.#frames) taken.reject(error)
    this.#frames = []
  }
}

/** The most bytes that the frame takes in the supervisor's queue. */
function cost({ line }: Frame): number {
  return 64 + (line?.text.length ?? 0)
}

function lineOf(text: string | undefined): Line | undefined {
  if (text === undefined || text.length > maxLine || !oneLine.test(text)) return undefined
  if (plainLine.test(text)) return { kind: 'w', text }
  const escaped = Array.from(Buffer.from(text.slice(0, -1)), escapedByte).join('')
  return escaped.length < maxLine ? { kind: 'q', text: `${escaped}\n` } : undefined
}

function escapedByte(byte: number): string {
  const letter = String.fromCharCode(byte)
  if (letter === '\\') return '\\\\'
  return /[ -~]/.test(letter) ? letter : `\\0${byte.toString(8).padStart(3, '0')}`
}

function onWire(number: number, { text, line }: Frame, longest: number): string {
  if (text === undefined) return `c ${number}\n`
  if (line !== undefined && line.text.length <= longest) return `${line.kind} ${number} ${line.text}`
  return `f ${number} ${Buffer.byteLength(text)}\n${text}`
}

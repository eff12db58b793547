import { createReadStream, createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { jsonOf, type Line, lengthOf } from '../../base/agent/line.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { Observable, Subject } from '../../base/lib/subject.ts'
import { writeInPieces } from '../../base/lib/write-in-pieces.ts'

const maxLineBytes = 64 * 1024 * 1024

/** Takes the place of older lines that could not be written to disk or read back. */
const lost: Line = { type: 'iris_lost_lines' }

/**
 * The lines of one turn. A late subscriber gets all earlier lines first, then the live ones. The newest `maxBytes` stay
 * in memory. Older lines go to a file, which is created only when needed, and are replayed from it.
 */
export class MessageLog {
  readonly #file: string
  readonly #maxBytes: number
  readonly #live = new Subject<Line>()
  #kept: Line[] = []
  #keptBytes = 0
  #spill: WriteStream | undefined
  #spilledBytes = 0
  #spillFailed = false
  /** How many texts are not on the disk yet. */
  #unwritten = 0
  /** Resolves when all spilled lines can be read back. */
  #written: Promise<void> = Promise.resolve()

  constructor(file: string, maxBytes: number) {
    this.#file = file
    this.#maxBytes = maxBytes
  }

  add(line: Line): void {
    this.#kept.push(line)
    this.#keptBytes += lengthOf(line)
    if (this.#keptBytes > this.#maxBytes) this.#spillDown(this.#maxBytes / 2, 1)
    this.#live.next(line)
  }

  /** Approximate size of the lines in memory, in characters. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** While the disk is too slow, a promise that resolves when it has caught up or failed; otherwise undefined. */
  drained(): Promise<void> | undefined {
    return this.#unwritten > 0 ? this.#written : undefined
  }

  /**
   * Call this when no more lines will follow. If the last line alone is longer than the limit, it goes to the file too.
   */
  close(): void {
    this.#live.complete()
    if (this.#keptBytes > this.#maxBytes) this.#spillDown(0, 0)
    const spill = this.#spill
    if (spill) void this.#written.then(() => spill.end())
  }

  /** Deletes the file. Call this when nobody will ask for the lines again. */
  discard(): void {
    if (this.#spill !== undefined) rmSync(this.#file, { force: true })
  }

  /** All lines up to now. */
  async soFar(): Promise<readonly Line[]> {
    const kept = [...this.#kept]
    const spilled: Line[] = []
    await this.#readSpilled((line) => spilled.push(line))
    return [...spilled, ...kept]
  }

  readonly messages$ = new Observable<Line>((subscriber) => {
    if (this.#spilledBytes === 0) {
      for (const line of this.#kept) subscriber.next(line)
      return this.#live.subscribe(subscriber)
    }
    const missed: Line[] = []
    let caughtUp = false
    let ended = false
    const live = this.#live.subscribe({
      next: (line) => (caughtUp ? subscriber.next(line) : missed.push(line)),
      complete: () => {
        ended = true
        if (caughtUp) subscriber.complete()
      },
    })
    void this.soFar().then((before) => {
      for (const line of [...before, ...missed]) subscriber.next(line)
      caughtUp = true
      if (ended) subscriber.complete()
    })
    return live
  })

  /** Writes the oldest lines to the file until only this many bytes, or lines, are left. */
  #spillDown(bytes: number, lines: number): void {
    let gone = 0
    while (this.#keptBytes > bytes && gone < this.#kept.length - lines) {
      this.#keptBytes -= lengthOf(this.#kept[gone]!)
      gone += 1
    }
    const text = this.#kept.splice(0, gone).map((line) => `${jsonOf(line)}\n`)
    this.#write(text.join(''))
  }

  #write(text: string): void {
    this.#spilledBytes += Buffer.byteLength(text)
    try {
      const spill = (this.#spill ??= this.#openSpill())
      this.#unwritten += 1
      this.#written = this.#written
        .then(() => writeInPieces(spill, text))
        .finally(() => {
          this.#unwritten -= 1
        })
    } catch {
      this.#spillFailed = true
    }
  }

  #openSpill(): WriteStream {
    makeDirectory(dirname(this.#file))
    const spill = createWriteStream(this.#file, { flags: 'w', mode: 0o600 })
    spill.on('error', () => {
      this.#spillFailed = true
    })
    return spill
  }

  /** Reads the lines spilled before the call, not those spilled while it reads. */
  async #readSpilled(onLine: (line: Line) => void): Promise<void> {
    const bytes = this.#spilledBytes
    if (bytes === 0) return
    await this.#written
    if (this.#spillFailed) return onLine(lost)
    const lines = new LineSplitter({ maxLineBytes, onLine: (text) => onLine(JSON.parse(text)), onOversize: () => {} })
    try {
      for await (const chunk of createReadStream(this.#file, { end: bytes - 1 })) lines.push(chunk as Buffer)
    } catch {
      onLine(lost)
    }
  }
}

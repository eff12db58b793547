import { createReadStream, createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { Observable, Subject } from 'rxjs'
import type { Line } from '../claude/line.ts'
import { LineSplitter } from '../lib/line-splitter.ts'

const maxLineBytes = 64 * 1024 * 1024

/**
 * The lines of one turn: replayed to whoever subscribes late, then live. Memory holds the newest `maxBytes`; what is
 * older goes to a file, made only when that happens, and is replayed from there.
 */
export class MessageLog {
  readonly #file: string
  readonly #maxBytes: number
  readonly #live = new Subject<Line>()
  #kept: { line: Line; json: string }[] = []
  #keptBytes = 0
  #spill: WriteStream | undefined
  /** Settles when everything spilled so far can be read back. */
  #written: Promise<void> = Promise.resolve()

  constructor(file: string, maxBytes: number) {
    this.#file = file
    this.#maxBytes = maxBytes
  }

  add(line: Line): void {
    const json = JSON.stringify(line)
    this.#kept.push({ line, json })
    this.#keptBytes += json.length
    if (this.#keptBytes > this.#maxBytes) this.#spillHalf()
    this.#live.next(line)
  }

  close(): void {
    this.#live.complete()
    this.#spill?.end()
  }

  readonly messages$ = new Observable<Line>((subscriber) => {
    if (this.#spill === undefined) {
      for (const { line } of this.#kept) subscriber.next(line)
      return this.#live.subscribe(subscriber)
    }
    const kept = this.#kept.map(({ line }) => line)
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
    void this.#readSpilled((line) => subscriber.next(line)).then(() => {
      for (const line of [...kept, ...missed]) subscriber.next(line)
      caughtUp = true
      if (ended) subscriber.complete()
    })
    return live
  })

  #spillHalf(): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    this.#spill ??= createWriteStream(this.#file, { flags: 'w', mode: 0o600 })
    let gone = 0
    while (this.#keptBytes > this.#maxBytes / 2 && gone < this.#kept.length - 1) {
      this.#keptBytes -= this.#kept[gone]!.json.length
      gone += 1
    }
    const text = this.#kept.splice(0, gone).map(({ json }) => `${json}\n`)
    this.#written = new Promise((resolve) => this.#spill!.write(text.join(''), () => resolve()))
  }

  async #readSpilled(onLine: (line: Line) => void): Promise<void> {
    await this.#written
    const lines = new LineSplitter({ maxLineBytes, onLine: (text) => onLine(JSON.parse(text)), onOversize: () => {} })
    for await (const chunk of createReadStream(this.#file)) lines.push(chunk as Buffer)
  }
}

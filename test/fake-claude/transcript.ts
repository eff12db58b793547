import type { World } from './world.ts'

interface TranscriptOptions {
  readonly world: World
  readonly sessionId: string
  /** From an entry to its being written, milliseconds; undefined: only `flush` writes. */
  readonly flushDelayMs: number | undefined
}

type Fields = Record<string, unknown>

/** The session's file as the real CLI keeps it: entries chained by parentUuid, written late and together. */
export class Transcript {
  readonly #options: TranscriptOptions
  #pending: Fields[] = []
  #leaf: string | null = null
  #scheduled = false

  constructor(options: TranscriptOptions) {
    this.#options = options
  }

  get leaf(): string | null {
    return this.#leaf
  }

  continueAfter(leaf: string | null): void {
    this.#leaf = leaf
  }

  /** Chains an entry to the last one. What is returned may still be changed until it is written. */
  entry(uuid: string, fields: Fields): Fields {
    const { world, sessionId } = this.#options
    const entry: Fields = {
      parentUuid: this.#leaf,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: new Date(world.clock.now()).toISOString(),
      userType: 'external',
      entrypoint: 'sdk-cli',
      cwd: world.cwd,
      sessionId,
      version: '9.9.9',
    }
    this.#leaf = uuid
    return this.#add(entry)
  }

  /** A line outside the chain, as the real one has many. */
  note(fields: Fields): void {
    this.#add({ ...fields, sessionId: this.#options.sessionId })
  }

  flush(): void {
    if (this.#pending.length === 0) return
    const text = this.#pending.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    this.#pending = []
    this.#options.world.transcript.append(text)
  }

  #add(entry: Fields): Fields {
    this.#pending.push(entry)
    const { flushDelayMs, world } = this.#options
    if (flushDelayMs !== undefined && !this.#scheduled) {
      this.#scheduled = true
      world.clock.after(flushDelayMs, () => {
        this.#scheduled = false
        this.flush()
      })
    }
    return entry
  }
}

import type { Turn } from './turn.ts'

interface Settled {
  readonly id: string
  readonly bytes: number
  readonly discard: () => void
}

export interface SettledLimits {
  readonly turns: number
  /** Total length of the turns' lines as JSON, in characters. */
  readonly bytes: number
}

const usualLimits: SettledLimits = { turns: 100, bytes: 8 * 1024 * 1024 }

/**
 * The most recently settled turns, whose lines stay in memory for late readers. The total length of the lines is
 * bounded, because one turn may have megabytes of lines. The last turn is always kept. Older lines are in the
 * transcript files.
 */
export class SettledTurns {
  readonly #limits: SettledLimits
  readonly #onForgotten: (id: string) => void
  readonly #kept: Settled[] = []
  #bytes = 0

  constructor(onForgotten: (id: string) => void, limits = usualLimits) {
    this.#limits = limits
    this.#onForgotten = onForgotten
  }

  /** `discard` deletes the lines of the turn once nobody can read them. */
  add({ id, keptBytes: bytes }: Pick<Turn, 'id' | 'keptBytes'>, discard: () => void): void {
    this.#kept.push({ id, bytes, discard })
    this.#bytes += bytes
    while (this.#kept.length > 1 && (this.#kept.length > this.#limits.turns || this.#bytes > this.#limits.bytes)) {
      const oldest = this.#kept.shift()!
      this.#bytes -= oldest.bytes
      oldest.discard()
      this.#onForgotten(oldest.id)
    }
  }
}

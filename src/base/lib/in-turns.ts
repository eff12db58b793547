const atOnce = 20

/** Lets at most a given number of callers continue in each turn of the event loop, in the order in which they came. */
export class TurnQueue {
  readonly #perTurn: number
  readonly #waiting: (() => void)[] = []
  /** How many may still continue in this turn. */
  #left: number
  #isDue = false

  constructor(perTurn: number) {
    this.#perTurn = perTurn
    this.#left = perTurn
  }

  /** Undefined if the caller may continue at once, because this turn still has room. */
  enter(): Promise<void> | undefined {
    if (this.#left === 0) return this.later()
    this.#left -= 1
    this.#comeBack()
    return undefined
  }

  /** Resolves in a later turn. */
  later(): Promise<void> {
    this.#comeBack()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #comeBack(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      const next = this.#waiting.splice(0, this.#perTurn)
      this.#left = this.#perTurn - next.length
      if (next.length > 0) this.#comeBack()
      for (const resolve of next) resolve()
    })
  }
}

const slices = new TurnQueue(1)

/**
 * Resolves in a later turn of the event loop. However many callers wait at once, each turn of the loop continues only
 * one of them, in the order in which they began to wait.
 */
export function ownTurn(): Promise<void> {
  return slices.later()
}

/**
 * Maps a list that can be long: 20 items in each turn of the event loop. What the caller then does with a long list has
 * a turn of its own too.
 */
export async function mapInTurns<Item, Mapped>(
  items: Iterable<Item>,
  map: (item: Item) => Mapped | Promise<Mapped>,
): Promise<Mapped[]> {
  const all = [...items]
  const isLong = all.length > atOnce
  const mapped: Mapped[] = []
  for (const item of all) {
    if (isLong && mapped.length % atOnce === 0) await ownTurn()
    mapped.push(await map(item))
  }
  if (isLong) await ownTurn()
  return mapped
}

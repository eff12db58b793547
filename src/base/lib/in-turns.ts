const atOnce = 20

const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. However many wait at once, each turn of the loop continues only one of
 * them, in the order in which they began to wait.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(next)
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

import { setImmediate as nextTurn } from 'node:timers/promises'

const atOnce = 20

/** Maps a list that can be long. Everything else in this process has its turn after every 20 items. */
export async function mapInTurns<Item, Mapped>(
  items: Iterable<Item>,
  map: (item: Item) => Mapped | Promise<Mapped>,
): Promise<Mapped[]> {
  const mapped: Mapped[] = []
  for (const item of items) {
    if (mapped.length > 0 && mapped.length % atOnce === 0) await nextTurn()
    mapped.push(await map(item))
  }
  return mapped
}

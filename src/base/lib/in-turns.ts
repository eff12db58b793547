import { setImmediate as nextTurn } from 'node:timers/promises'

const atOnce = 20

/** Maps a list that can be long. After every 20 items, other work in this process gets a turn. */
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

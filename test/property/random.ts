/** Whole numbers from 0 to below `count`, the same for the same seed (mulberry32). Seed 0 is always the first choice. */
export function picker(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    if (seed === 0) return 0
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
}

/** UUIDs that count up: each schedule has the same ones. `kind` keeps the ids of different makers apart. */
export function idMaker(kind: number): () => string {
  let count = 0
  const head = kind.toString(16).padStart(8, '0')
  return () => {
    count += 1
    return `${head}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`
  }
}

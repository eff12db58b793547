import { distance } from 'fastest-levenshtein'

/** Longer than any name; the distance costs the product of both lengths. */
const longestWord = 128

/** The candidate that `word` may be a slip of: at most a third of its letters differ, capitals apart. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

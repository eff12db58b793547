import { distance } from 'fastest-levenshtein'

/** No name is longer; the cost of the distance is the product of both lengths. */
const maxWord = 128

/** The candidate that `word` may be a misspelling of. At most a third of its letters differ; case is ignored. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWord) return undefined
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

/** Longer words are not compared: no name is that long, and the work grows with the product of both lengths. */
const maxWord = 128

/**
 * The candidate that `word` may be a misspelling of; case is ignored. At most a third of its letters may differ, or one
 * in a short word. Among equally near candidates, one with the same letters in another order wins, then the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWord) return undefined
  const typed = word.toLowerCase()
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, name: candidate.toLowerCase() }))
    .map(({ candidate, name }) => ({
      candidate,
      distance: distance(typed, name),
      hasOtherLetters: Number(lettersOf(typed) !== lettersOf(name)),
    }))
    .toSorted((a, b) => a.distance - b.distance || a.hasOtherLetters - b.hasOtherLetters)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

function lettersOf(word: string): string {
  return word.split('').toSorted().join('')
}

/** Optimal string alignment: how many letters to insert, remove or change, or adjacent letters to swap. */
function distance(a: string, b: string): number {
  // Each row has the distances between the first `i` letters of `a` and every beginning of `b`.
  let [rowBefore, lastRow]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = lastRow[j - 1]! + Number(a[i - 1] !== b[j - 1])
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(Math.min(lastRow[j]! + 1, row[j - 1]! + 1, changed, isSwapped ? rowBefore[j - 2]! + 1 : changed))
    }
    rowBefore = lastRow
    lastRow = row
  }
  return lastRow[b.length]!
}

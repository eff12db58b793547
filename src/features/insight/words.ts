/** Words that say how something is asked, not what it is about. */
const functionWords = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does doing for from get
  give got had has have having he her here hey hi him his how i if in into is it its just know let like look make me might more
  most my need no not now of off on once one only or other our out over own please quick quickly same say see she should show so
  some such tell than thank thanks that the their them then there these they this those through to too under until up use us very
  want was we were what when where which while who whom why will with would you your`.split(/\s+/),
)

/** The maximum number of distinct words of a message that are compared. */
const maxWords = 64

/**
 * The words by which two messages are compared: in lower case, without accents, endings, and words such as "where".
 * Paths and code names stay whole.
 */
export function contentWords(message: string): ReadonlySet<string> {
  const plain = message.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = new Set<string>()
  for (const [found] of plain.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}_./:@-]*[\p{L}\p{N}_])?/gu)) {
    if (functionWords.has(found)) continue
    words.add(/^\p{L}+$/u.test(found) ? stem(found) : found)
    if (words.size === maxWords) break
  }
  return words
}

const endings = ['ing', 'ed', 'es', 's', 'e']
const minStem = 4

/** The stem of a word: "defines", "defined" and "defining" have the same one. */
function stem(word: string): string {
  const ending = endings.find(
    (each) => word.endsWith(each) && word.length - each.length >= minStem && !(each === 's' && /[su]s$/.test(word)),
  )
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** How many of the words in either set are in both sets, as a share from 0 to 1. */
export function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared += 1
  return shared === 0 ? 0 : shared / (one.size + other.size - shared)
}

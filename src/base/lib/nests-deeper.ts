/**
 * Whether a JSON text has more than `most` levels. Reads it once, up to the first level that is too deep. Parsing
 * millions of levels would block the process for seconds.
 */
export function nestsDeeper(text: string, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
      if (at === -1) return false
    } else if (character === '[' || character === '{') {
      depth += 1
      if (depth > most) return true
    } else if (character === ']' || character === '}') depth -= 1
  }
  return false
}

/** The position of the quote that ends the string which begins at `start`; -1 if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text[before - 1] === '\\') before -= 1
    if ((at - before) % 2 === 0) return at
  }
  return -1
}

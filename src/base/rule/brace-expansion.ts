/** The depth of nested braces that is expanded. */
const passes = 3
/** The most characters that expansion may add: long data in one word, such as JSON, is not a list of words. */
const mostAdded = 10_000

/**
 * The text with its brace lists expanded as in bash and zsh: `a{b,c}` becomes `ab ac`. Also expands lists that a shell
 * would not, such as braces in quotes. A list that would add too many characters is unchanged.
 */
export function expandedBraces(text: string): string {
  let expanded = text
  let left = mostAdded
  for (let pass = 0; pass < passes && /\{[^{}\s]*,/.test(expanded); pass++) {
    const words = expanded.split(/([\s;&|()<>]+)/).map((word) => {
      const next = expandedOnce(word, left)
      left -= next.length - word.length
      return next
    })
    expanded = words.join('')
  }
  return expanded
}

/** Expands the innermost list that ends first. */
function expandedOnce(word: string, most: number): string {
  const close = word.indexOf('}')
  const open = close < 0 ? -1 : word.lastIndexOf('{', close)
  if (open < 0) return word
  const [before, list, after] = [word.slice(0, open), word.slice(open + 1, close), word.slice(close + 1)]
  const parts = list.split(',')
  if (parts.length < 2 || (before.length + after.length) * parts.length > Math.max(0, most)) return word
  return parts.map((part) => before + part + after).join(' ')
}

/**
 * `*` matches any text; `\*` is a literal star and `\\` a literal backslash. Never backtracks, whatever the pattern.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = literals(pattern)
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

/** How many unescaped `*` a pattern has. */
export function stars(pattern: string): number {
  return literals(pattern).length - 1
}

/** The texts between the stars, unescaped. */
function literals(pattern: string): string[] {
  const parts = ['']
  for (let at = 0; at < pattern.length; at++) {
    const [character, next] = [pattern[at]!, pattern[at + 1]]
    if (character === '*') parts.push('')
    else if (character === '\\' && (next === '*' || next === '\\')) parts.push(parts.pop() + pattern[++at]!)
    else parts.push(parts.pop() + character)
  }
  return parts
}

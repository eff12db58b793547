/** Why a text is not accepted as a command; the message continues after "remote". */
export class NoCommand extends Error {}

/** Outside quotes, these characters make a shell do more than start a program. */
const meaningful = /[;&|<>()$`*?[\]{}#~!]/

/**
 * Splits a command line into words as a POSIX shell does. No shell runs the command, so everything that a shell would
 * replace or act on is refused. Throws NoCommand.
 */
export function shellWords(text: string): string[] {
  if (hasControl(text)) throw new NoCommand('contains a line break or another control character')
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (character === ' ') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1)
      if (end === -1) throw new NoCommand("has a ' without a closing one")
      word = (word ?? '') + text.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      const [inner, end] = doubleQuoted(text, at + 1)
      word = (word ?? '') + inner
      at = end
    } else if (character === '\\') {
      at += 1
      if (at === text.length) throw new NoCommand('ends with \\')
      word = (word ?? '') + text[at]
    } else if (meaningful.test(character)) {
      throw new NoCommand(`contains ${character} outside of quotes, but no shell interprets it`)
    } else {
      word = (word ?? '') + character
    }
  }
  if (word !== undefined) words.push(word)
  return words
}

/** The text up to the next `"`, and the position of that quote. */
function doubleQuoted(text: string, from: number): [string, number] {
  let inner = ''
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '"') return [inner, at]
    if (character === '$' || character === '`') {
      throw new NoCommand(`contains ${character} in double quotes, but no shell interprets it`)
    }
    const isEscape = character === '\\' && /["\\$`]/.test(text[at + 1] ?? '')
    if (isEscape) at += 1
    inner += text[at]
  }
  throw new NoCommand('has a " without a closing one')
}

/** Tabs count as control characters too, because a command is one line. */
export function hasControl(text: string): boolean {
  return /\p{Cc}|\u2028|\u2029/u.test(text)
}

/** Quotes a word, so that a POSIX shell reads it unchanged. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Put between characters that are words of their own; people do not write this separator. */
const divider = '\u001f'

const sign = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`
const someSign = new RegExp(sign, 'u')
const betweenSigns = new RegExp(`(?<=${sign})(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}])(?=${sign})`, 'gu')

/**
 * Chinese and Japanese have no blanks between words, so FTS5 takes a whole run of characters as one word. This makes
 * every character its own word, so that a search can find a part of a run as a phrase.
 */
export function divided(text: string): string {
  return someSign.test(text) ? text.replace(betweenSigns, divider) : text
}

export function undivided(text: string): string {
  return text.replaceAll(divider, '')
}

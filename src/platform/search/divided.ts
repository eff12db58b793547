/** Between signs that are words of their own; nobody writes it. */
const divider = '\u001f'

const sign = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`
const someSign = new RegExp(sign, 'u')
const betweenSigns = new RegExp(`(?<=${sign})(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}])(?=${sign})`, 'gu')

/**
 * Chinese and Japanese are written without blanks, and FTS5 takes a whole run for one word. With every sign a word of its own
 * a part of a run is found as any words in their order are.
 */
export function divided(text: string): string {
  return someSign.test(text) ? text.replace(betweenSigns, divider) : text
}

export function undivided(text: string): string {
  return text.replaceAll(divider, '')
}

/**
 * Characters that a person cannot see or may mistake: control, format, private-use and unassigned characters, lone
 * surrogates, default-ignorable code points, blanks other than the space, and `‹`, which `visible` marks them with.
 */
const unseen = /[^\P{C}\n\t]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|[\u2800\u2039]/gu

/** Replaces every unseen character by its code point, as in `‹U+202E›`. Different texts stay different. */
export function visible(text: string): string {
  return text.replace(unseen, named)
}

/** Whether `visible` would change the text. */
export function hasInvisible(text: string): boolean {
  return text.search(unseen) !== -1
}

/** Whether a person sees nothing of the text: blanks, and characters without a shape. */
export function isUnseen(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]*$/u.test(text)
}

/** Characters that a terminal acts on instead of showing, or that change the reading order; a subset of `unseen`. */
const acting = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu

/** Makes text safe for a terminal: it cannot move the cursor, ring the bell or reverse the text. Emoji stay whole. */
export function terminalSafe(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(acting, named)
}

function named(character: string): string {
  return `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`
}

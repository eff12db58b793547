/**
 * Characters without a shape: control and format characters, lone surrogates, code points that are ignored by default,
 * such as variation selectors and fillers, and the blank Braille pattern. The only list of such characters, written for
 * a character class in a regular expression with the flag `u`.
 */
export const shapeless = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800`

/**
 * More characters that `visible` marks: private-use and unassigned characters, whose shape is unknown, blanks other
 * than the space, and `‹`, the mark itself. Line breaks and tabs are kept.
 */
const unseen = new RegExp(String.raw`(?![\n\t])[${shapeless}\p{C}]|(?! )\p{Z}|\u2039`, 'gu')
const nothingSeen = new RegExp(String.raw`^[\s${shapeless}]*$`, 'u')
const anyShapeless = new RegExp(`[${shapeless}]`, 'gu')

/** Replaces every unseen character with its code point, as in `‹U+202E›`. Different texts remain different. */
export function visible(text: string): string {
  return text.replace(unseen, named)
}

/** Whether `visible` would change the text. */
export function hasInvisible(text: string): boolean {
  return text.search(unseen) !== -1
}

/** Whether the text is invisible: only blanks and characters without a shape. */
export function isUnseen(text: string): boolean {
  return nothingSeen.test(text)
}

/**
 * The text on one line: runs of blanks and control characters become one space, and shapeless characters are removed.
 */
export function inOneLine(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replace(anyShapeless, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Characters that a terminal acts on instead of showing, or that change the reading order. */
const acting = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu

/** Replaces every character that a terminal acts on instead of showing it, or that changes the reading order. */
export function withoutActing(text: string, by: (character: string) => string): string {
  return text.replace(acting, by)
}

/** Makes text safe for a terminal: it cannot move the cursor, ring the bell or reverse the text. Emoji stay whole. */
export function terminalSafe(text: string): string {
  return withoutActing(text.replaceAll('\r\n', '\n'), named)
}

function named(character: string): string {
  return `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`
}

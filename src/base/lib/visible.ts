/**
 * What a person does not see, or takes for something else: control, format, private and unassigned characters, halves of
 * surrogate pairs, whatever Unicode lets a font leave out, blanks that are no space, and the sign that marks them here.
 */
const unseen = /[^\P{C}\n\t]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|[\u2800\u2039]/gu

/** Text from anywhere with every character in sight: `‹U+202E›` stands for one that is not. No two texts look the same. */
export function visible(text: string): string {
  return text.replace(unseen, named)
}

/** It holds a character that `visible` makes visible. */
export function hasInvisible(text: string): boolean {
  return text.search(unseen) !== -1
}

/** What a terminal acts on instead of showing it, or lets the rest be read in another order; a part of what is unseen. */
const acting = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu

/** Text that people read in a terminal: it can neither move the cursor nor ring nor turn round, and emoji stay whole. */
export function terminalSafe(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(acting, named)
}

function named(character: string): string {
  return `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** A code block with its end, or code within a line whose first backtick is not escaped. */
const code = /(```[\s\S]*?```|(?<![\\`])`[^`\n]*`(?!`))/
const opening = /\]\(/g
/**
 * The opening of a link in front of text that a program may read as an address: a scheme, after characters that the
 * program skips.
 */
const openingOfAddress = /\]\((?=[^\p{L}\p{N}()]*[a-z][a-z\d+.-]*\\*:(?![:\s]))/giu

/**
 * Discord shows `[text](address)` as the text alone, which would hide the address, so a backslash is put between the
 * two. Discord's programs disagree about where code ends, for instance after a backtick in bold text or in an address,
 * so a link in code may not be code for all of them. In code, the backslash is put only before what may be an address,
 * and other code stays as it is.
 */
export function disarmed(text: string): string {
  const parts = text.split(code)
  return parts.map((part, index) => part.replace(index % 2 === 1 ? openingOfAddress : opening, ']\\(')).join('')
}

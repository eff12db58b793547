/** A code block with its end, or code within a line whose first backtick is not escaped. */
const code = /(```[\s\S]*?```|(?<![\\`])`[^`\n]*`(?!`))/
const opening = /\]\(/g
/** The same before text that a program may read as an address: a scheme, after characters that it skips. */
const openingOfAddress = /\]\((?=[^\p{L}\p{N}()]*[a-z][a-z\d+.-]*\\*:(?![:\s]))/giu

/**
 * Discord shows `[text](address)` as the text alone, so the address would be hidden: a backslash parts the two. In code
 * it is put only before what may be an address. Each of Discord's programs has its own idea of where code ends, for
 * instance after a backtick in bold text or in an address, so a link in code may not count as code there. Other code
 * stays as it is.
 */
export function disarmed(text: string): string {
  const parts = text.split(code)
  return parts.map((part, index) => part.replace(index % 2 === 1 ? openingOfAddress : opening, ']\\(')).join('')
}

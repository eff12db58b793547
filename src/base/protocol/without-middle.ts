/** Longer than the longest path of a file, which an error names whole. */
const longest = 5000

/** A text for people, in characters: of one that is far longer than a path only the beginning and the end. */
export function withoutMiddle(text: string): string {
  if (text.length <= longest) return text
  const begin = text.slice(0, 600).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-200).replace(/^[\uDC00-\uDFFF]/, '')
  return `${begin} … ${end}`
}

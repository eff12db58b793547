/** More characters than the longest file path has, because an error must show a path whole. */
const longest = 5000

/** A text for people. If it is far longer than a path, only its beginning and its end are kept, in whole characters. */
export function withoutMiddle(text: string): string {
  if (text.length <= longest) return text
  const begin = text.slice(0, 600).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-200).replace(/^[\uDC00-\uDFFF]/, '')
  return `${begin} … ${end}`
}

import type { Output } from '../../../shared/api/operations.ts'

type Snippet = Output<'search_messages'>['hits'][number]['snippet']

/** Characters before the first match that one line has room for. */
const mostBefore = 16

/** A found text as one line that begins near its first match, so that a narrow list shows the match. */
export function lineOf(snippet: Snippet): string {
  const first = snippet.findIndex(({ isMatch }) => isMatch)
  const text = (parts: Snippet): string => parts.map((part) => part.text).join('')
  const before = text(snippet.slice(0, Math.max(0, first)))
  const rest = text(snippet.slice(Math.max(0, first)))
  if (before.length <= mostBefore) return before + rest
  // Begins with a whole word.
  return `…${before.slice(-mostBefore).replace(/^\S*\s/, '')}${rest}`
}

import { visible } from '../../../base/lib/visible.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'

/** The parts of a question that a chat shows beside its input, as plain text with nothing hidden in it. */
export function questionRows(view: PermissionView): readonly (readonly [name: string, text: string])[] {
  const { chain, directory, blockedPath, risks, permissionId, inputHash } = view
  return [
    ['Asked by', inLine(chain.join(' → '))],
    ['Directory', inLine(directory)],
    ...(blockedPath === null ? [] : [['Path in question', inLine(blockedPath)] as const]),
    ...(risks.length === 0 ? [] : [['Look at', inLine(risks.join('; '))] as const]),
    ['Question', permissionId],
    ['Input hash', inputHash],
  ]
}

export function title({ team, toolName }: PermissionView): string {
  return `May ${inLine(team)} use ${inLine(toolName)}?`
}

/** Keeps a value on its line: on a line of its own, it could look like one of Iris's lines. */
function inLine(text: string): string {
  return visible(text).replaceAll('\n', '‹U+000A›')
}

/** The webhook of a chat cannot return an answer. */
export function howToAnswer({ permissionId }: PermissionView): string {
  return `Answer on that machine: iris allow ${permissionId} (or iris deny), or post a signed answer to Iris.`
}

/** Cuts a text so that `write` makes at most `limit` characters of it. Does not split a surrogate pair. */
export function fitting(text: string, limit: number, write: (text: string) => string): string {
  if (write(text).length <= limit) return text
  const cut = (length: number): string => `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
  let fits = 0
  let tooMany = text.length
  while (tooMany - fits > 1) {
    const half = (fits + tooMany) >> 1
    if (write(cut(half)).length <= limit) fits = half
    else tooMany = half
  }
  return cut(fits)
}

/** The note beside an input that was cut; undefined when it was not. */
export function cutNote(whole: string, part: string): string | undefined {
  if (part === whole) return undefined
  return `NOT ALL OF IT IS SHOWN: ${part.length - 1} of ${whole.length} characters. Read the rest before you allow it.`
}

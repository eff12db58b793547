import { isRecord } from '../../base/lib/is-record.ts'
import type { AnswerBound } from '../../base/operation/operation.ts'

/** How many bytes of JSON count as one token, as in docs/performance.md. */
export const bytesPerToken = 4

/** Reserved for the sentence about what was left out, and for braces and commas. */
const sentenceBytes = 600
/** A value of at most this many bytes is never shortened, so ids, states and times stay whole. */
const smallBytes = 100

type Keeps = AnswerBound['keeps']

export function bytesOf(json: string): number {
  return Buffer.byteLength(json)
}

/**
 * Shortens a result to the bound, and adds a sentence (`shortened`) about what was left out and how to ask for it.
 * Lists lose items at their end (or at their beginning, with `keeps: 'last'`), and texts lose their end. Short values
 * get their room first, so that only long values are shortened. The cursors `nextCursor` and `before` are dropped,
 * because a reader who continues with them would miss what was left out.
 */
export function shortened(
  whole: Readonly<Record<string, unknown>>,
  { tokens, narrow, keeps }: AnswerBound,
): Record<string, unknown> {
  const { nextCursor: _, before: __, ...rest } = whole
  // The result is known to be too long. Serializing it again to find its size would block other calls.
  const result = fit(rest, tokens * bytesPerToken - sentenceBytes, keeps, Infinity) as Record<string, unknown>
  const losses = Object.entries(rest).flatMap(([name, value]) => lossOf(name, value, result[name]))
  // `losses` names only fields of the result itself. If it is empty, something inside these fields was shortened.
  const what = losses.length === 0 ? 'long texts are cut' : losses.slice(0, 3).join(', ')
  return { ...result, shortened: `Shortened to ${tokens} tokens: ${what}. ${narrow}` }
}

/** Says in words how much of one field of the result is left out. An empty list if nothing is. */
function lossOf(name: string, before: unknown, after: unknown): string[] {
  if (Array.isArray(before) && Array.isArray(after) && after.length < before.length)
    return [`${name} has ${after.length} of ${before.length}`]
  return typeof before === 'string' && typeof after === 'string' && after.length < before.length
    ? [`${name} has its first ${after.length - 1} of ${before.length} characters`]
    : []
}

/** The value, shortened until its JSON has at most `bytes` bytes. `size`: the bytes of its JSON now. */
function fit(value: unknown, bytes: number, keeps: Keeps, size = sizeOf(value)): unknown {
  if (size <= bytes) return value
  if (typeof value === 'string') return cut(value, bytes)
  if (Array.isArray(value)) return fitList(value, bytes, keeps)
  return isRecord(value) ? fitRecord(value, bytes, keeps) : value
}

function fitList(items: readonly unknown[], bytes: number, keeps: Keeps): readonly unknown[] {
  // The brackets take two bytes, and each item takes a comma.
  let left = bytes - 2
  const inOrder = keeps === 'last' ? items.toReversed() : items
  const kept: unknown[] = []
  for (const item of inOrder) {
    left -= sizeOf(item) + 1
    if (left < 0) break
    kept.push(item)
  }
  // Not even one item fits, so the first one is itself shortened.
  if (kept.length === 0) return [fit(inOrder[0], bytes - 3, keeps)]
  return keeps === 'last' ? kept.toReversed() : kept
}

/** Fits the fields from the smallest to the largest. Each gets an equal share of the room that is left. */
function fitRecord(record: Readonly<Record<string, unknown>>, bytes: number, keeps: Keeps): Record<string, unknown> {
  const fields = Object.entries(record).map(([name, value]) => ({ name, value, size: sizeOf(value) }))
  let left = bytes - 2
  let fieldsLeft = fields.length
  const fitted = new Map<string, unknown>()
  for (const { name, value, size } of fields.toSorted((one, other) => one.size - other.size)) {
    // The name with its colon and its comma.
    const nameBytes = sizeOf(name) + 2
    const share = Math.floor(left / fieldsLeft) - nameBytes
    fieldsLeft -= 1
    const most = Math.max(share, smallBytes)
    const part = fit(value, size > smallBytes ? Math.min(most, left - nameBytes) : most, keeps, size)
    const partBytes = (part === value ? size : sizeOf(part)) + nameBytes
    // With very many fields, not even small ones all have room.
    if (partBytes > left) continue
    left -= partBytes
    fitted.set(name, part)
  }
  return Object.fromEntries(fields.flatMap(({ name }) => (fitted.has(name) ? [[name, fitted.get(name)]] : [])))
}

function sizeOf(value: unknown): number {
  return bytesOf(JSON.stringify(value) ?? '')
}

/** The longest beginning of a text that, with `…` after it, has at most `bytes` bytes as JSON. */
function cut(text: string, bytes: number): string {
  let [least, most] = [0, Math.min(text.length, bytes)]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (sizeOf(`${text.slice(0, middle)}…`.toWellFormed()) <= bytes) least = middle
    else most = middle - 1
  }
  return `${text.slice(0, least)}…`.toWellFormed()
}

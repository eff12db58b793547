import { isRecord } from '../../base/lib/is-record.ts'
import type { AnswerBound } from '../../base/operation/operation.ts'

/** Counted as in docs/performance.md. */
export const bytesPerToken = 4

/** Room for the sentence about what was left out, and for braces and commas. */
const sentenceBytes = 600
/** A value of that many bytes is never shortened: ids, states and times stay whole. */
const smallBytes = 100

type Keeps = AnswerBound['keeps']

export function bytesOf(json: string): number {
  return Buffer.byteLength(json)
}

/**
 * The result within the bound, and a sentence (`shortened`) about what was left out and how to ask for it. Lists lose
 * items at their end (`keeps: 'last'`: at their beginning), texts their end. The room goes to what is short first, so
 * that only what is long gets shorter. Cursors are dropped: they would skip what was left out.
 */
export function shortened(
  whole: Readonly<Record<string, unknown>>,
  { tokens, narrow, keeps }: AnswerBound,
): Record<string, unknown> {
  const { nextCursor: _, before: __, ...rest } = whole
  const result = fit(rest, tokens * bytesPerToken - sentenceBytes, keeps) as Record<string, unknown>
  const losses = Object.entries(rest).flatMap(([name, value]) => lossOf(name, value, result[name]))
  const what = losses.length === 0 ? 'long texts are cut' : losses.slice(0, 3).join(', ')
  return { ...result, shortened: `Shortened to ${tokens} tokens: ${what}. ${narrow}` }
}

function lossOf(name: string, before: unknown, after: unknown): string[] {
  if (Array.isArray(before) && Array.isArray(after) && after.length < before.length)
    return [`${name} has ${after.length} of ${before.length}`]
  return typeof before === 'string' && typeof after === 'string' && after.length < before.length
    ? [`${name} has its first ${after.length - 1} of ${before.length} characters`]
    : []
}

function fit(value: unknown, bytes: number, keeps: Keeps): unknown {
  if (sizeOf(value) <= bytes) return value
  if (typeof value === 'string') return cut(value, bytes)
  if (Array.isArray(value)) return fitList(value, bytes, keeps)
  return isRecord(value) ? fitRecord(value, bytes, keeps) : value
}

function fitList(items: readonly unknown[], bytes: number, keeps: Keeps): readonly unknown[] {
  let left = bytes - 2
  const inOrder = keeps === 'last' ? items.toReversed() : items
  const end = inOrder.findIndex((item) => (left -= sizeOf(item) + 1) < 0)
  const kept = inOrder.slice(0, end === -1 ? items.length : end)
  if (kept.length === 0) return [fit(inOrder[0], bytes - 3, keeps)]
  return keeps === 'last' ? kept.toReversed() : kept
}

function fitRecord(record: Readonly<Record<string, unknown>>, bytes: number, keeps: Keeps): Record<string, unknown> {
  const fields = Object.entries(record).map(([name, value]) => ({ name, value, size: sizeOf(value) }))
  let left = bytes - 2
  let others = fields.length
  const fitted = new Map<string, unknown>()
  for (const { name, value } of fields.toSorted((one, other) => one.size - other.size)) {
    const nameBytes = sizeOf(name) + 2
    const share = Math.floor(left / others) - nameBytes
    others -= 1
    const part = fit(value, Math.max(share, smallBytes), keeps)
    // A record of very many names has no room for all.
    if (sizeOf(part) + nameBytes > left) continue
    left -= sizeOf(part) + nameBytes
    fitted.set(name, part)
  }
  return Object.fromEntries(fields.flatMap(({ name }) => (fitted.has(name) ? [[name, fitted.get(name)]] : [])))
}

function sizeOf(value: unknown): number {
  return bytesOf(JSON.stringify(value) ?? '')
}

/** The beginning of a text whose JSON has at most that many bytes, and `…`. */
function cut(text: string, bytes: number): string {
  let [least, most] = [0, Math.min(text.length, bytes)]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (sizeOf(`${text.slice(0, middle)}…`.toWellFormed()) <= bytes) least = middle
    else most = middle - 1
  }
  return `${text.slice(0, least)}…`.toWellFormed()
}

import { z } from 'zod'
import { isRecord } from '../../base/lib/is-record.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'
import { BackgroundCommand, Usage } from '../../base/protocol/turn.ts'

/**
 * The fields of which letters, entries and live lines are made. Another machine wrote them, so each has a bound or a
 * range. A message with a field out of bounds is refused, unless that field may be cut or omitted: then the rest
 * counts.
 */

/** Characters of a letter. More than servers carry, unless they are configured for more. */
export const maxOfLetter = 64 * 2 ** 20
/** Characters of one text for people or agents: a message, an answer, a report. */
export const maxOfText = 16 * 2 ** 20

/** A message or a value, which is never cut: that would change its meaning. */
export const WholeText = z.string().max(maxOfText)

/** One line that is shown in terminals. */
export const Label = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u)
export const HostName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/)
export const Count = z.int().nonnegative().max(1e12)
/** The latest moment that a Date can represent. */
const latestMs = 8.64e15
/** Milliseconds since the epoch. */
export const Moment = z.int().nonnegative().max(latestMs)
export const Wire = z.int().min(1).max(1000)

/** What was cut in the value being parsed. Parsing is synchronous. */
let cuts = new Set<string>()

/** A text for people, cut if it is too long: they understand the beginning. `what` names it for them. */
export function cutText(most: number, what: string) {
  return z.string().transform((text) => {
    if (text.length <= most) return text
    cuts.add(`${what} was cut after ${most} characters`)
    return text.slice(0, most).toWellFormed()
  })
}

/** Absent if it is out of bounds: the rest counts without it. */
export function orAbsent<T extends z.ZodType>(schema: T, what: string) {
  return schema.optional().catch(() => {
    cuts.add(`${what} was out of bounds and left out`)
    return undefined
  })
}

/** Null if it is out of bounds: the rest counts without it. */
export function orNull<T extends z.ZodType>(schema: T, what: string) {
  return schema.nullable().catch(() => {
    cuts.add(`${what} was out of bounds and left out`)
    return null
  })
}

/** Negative usage would widen budgets. */
export const UsageThere = Usage.extend({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadTokens: Count,
  cacheWriteTokens: Count,
  costUsd: z.number().nonnegative().max(1e6).optional(),
  contextWindow: Count.optional(),
  model: Label(200).optional(),
})

export const BackgroundThere = z
  .array(BackgroundCommand.extend({ command: cutText(10_000, 'a command'), since: Moment }))
  .max(1000)
  .readonly()

/** No line of Claude Code is deeper; JSON.stringify fails at some thousand levels. */
const deepest = 500

/** A line of Claude Code. Its own numbers and those of its usage are times, counts and costs. */
export const LineThere = z
  .looseObject({ type: z.string().max(100) })
  .refine((line) => hasUsableNumbers(line, 0, true), 'has numbers or levels out of bounds')

function hasUsableNumbers(value: unknown, level: number, isCounted: boolean): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_VALUE && !(isCounted && value < 0)
  if (typeof value !== 'object' || value === null) return true
  if (level > deepest) return false
  // Fields of a line's parts, such as a tool's input, may be anything.
  return Object.entries(value).every(([key, part]) => {
    const isOwn = level === 0 && !isRecord(part) && !Array.isArray(part)
    return hasUsableNumbers(part, level + 1, isOwn || key === 'usage' || (isCounted && level > 0))
  })
}

/** The id comes in the subject of a letter, and becomes a key of rows and part of paths. */
export function isTurnId(text: string): boolean {
  return z.uuid().safeParse(text).success
}

export interface Read<T> {
  /** Undefined: it cannot be read, or something is out of bounds. */
  readonly value: T | undefined
  /** What was cut or left out, in words. */
  readonly cuts: readonly string[]
}

/** Reads JSON from another machine. Never throws. */
export function readBounded<T>(schema: z.ZodType<T>, text: string, most = maxOfLetter): Read<T> {
  if (text.length > most) return { value: undefined, cuts: [] }
  cuts = new Set()
  try {
    const value = safeParse(schema, JSON.parse(text)).data
    return { value, cuts: value === undefined ? [] : [...cuts] }
  } catch {
    return { value: undefined, cuts: [] }
  }
}

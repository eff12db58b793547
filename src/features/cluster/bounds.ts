import { z } from 'zod'
import { isRecord } from '../../base/lib/is-record.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'
import { BackgroundCommand, Usage } from '../../base/protocol/turn.ts'

/**
 * The schemas of the fields in letters, entries and live lines. Another machine wrote these, so each field has a bound
 * or a range. A message with a field out of bounds is refused, unless that field may be cut or left out; the rest is
 * then used.
 */

/** The maximum length of a letter, in characters. Servers carry less, unless they are configured for more. */
export const maxOfLetter = 64 * 2 ** 20
/** The maximum length of one text for people or agents, in characters: a message, an answer, a report. */
export const maxOfText = 16 * 2 ** 20

/** A message or a value. It is never cut, because that would change its meaning. */
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

/** What was cut from the value that is being parsed. Parsing is synchronous. */
let cuts = new Set<string>()

/**
 * A text for people, which is cut if it is too long, because its beginning is still useful. `what` names the text in
 * the note about the cut.
 */
export function cutText(most: number, what: string) {
  return z.string().transform((text) => {
    if (text.length <= most) return text
    cuts.add(`${what} was cut after ${most} characters`)
    return text.slice(0, most).toWellFormed()
  })
}

/** Absent if it is out of bounds; the rest of the message is used without it. */
export function orAbsent<T extends z.ZodType>(schema: T, what: string) {
  return schema.optional().catch(() => {
    cuts.add(`${what} was out of bounds and left out`)
    return undefined
  })
}

/** Null if it is out of bounds; the rest of the message is used without it. */
export function orNull<T extends z.ZodType>(schema: T, what: string) {
  return schema.nullable().catch(() => {
    cuts.add(`${what} was out of bounds and left out`)
    return null
  })
}

/** Token counts are not negative, because negative usage would extend budgets. */
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

/** Claude Code's lines are nested less deeply; JSON.stringify fails at a few thousand levels. */
const deepest = 500

/**
 * A line from Claude Code. Numbers at its top level and in its usage are times, counts and costs, so they are not
 * negative.
 */
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

/**
 * Whether a text is a turn's id. The id is part of a letter's subject, and becomes a key of rows and part of file
 * paths.
 */
export function isTurnId(text: string): boolean {
  return z.uuid().safeParse(text).success
}

export interface Read<T> {
  /** Undefined if the text cannot be read, or if something in it is out of bounds. */
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

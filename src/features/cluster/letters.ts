import { z } from 'zod'
import { maxFiles, maxOfFile } from '../../base/protocol/attachment.ts'
import { Budget } from '../../base/protocol/budget.ts'
import { JsonSchema } from '../../base/protocol/json-schema.ts'
import { outcomes, Reason } from '../../base/protocol/turn.ts'
import {
  BackgroundThere,
  Count,
  cutText,
  HostName,
  Label,
  LineThere,
  Moment,
  orAbsent,
  orNull,
  type Read,
  readBounded,
  UsageThere,
  WholeText,
  Wire,
} from './bounds.ts'
import { LimitThere } from './host-entry.ts'

/**
 * The version of the letters. A host refuses letters with a newer version and says why; it ignores unknown fields in
 * letters with its own version.
 */
export const wireVersion = 3
/** The version of an ask with files. */
export const wireWithFiles = 2
/**
 * The version of an ask that says what its asker knows about the turn. A host that ignored this would begin the turn
 * again.
 */
export const wireWithKnown = 3
/** The version of an ask without files. Hosts of the first version, which ignore files, can accept such an ask. */
export const wireWithoutFiles = 1

/** Checks the length first, because looking at each character of tens of MiB would delay everybody. */
const FileText = z
  .string()
  .max(Math.ceil(maxOfFile / 3) * 4)
  .pipe(z.base64())

/**
 * The asker's name comes from another host and goes unchanged into the message's tag, so characters that could end the
 * tag are refused.
 */
const Asker = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,149}$/)
/** The limit for the JSON Schema of an answer. People write these schemas, so they are short. */
const maxOfSchema = 2 ** 20
const Name = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}"<>]{1,300}$/u)

/** The place of the last record about a turn in the log of its conversation. */
const Place = z.object({ log: z.string().min(1).max(100), record: Count })

export const AskLetter = z.object({
  wire: Wire,
  /** The asking team, as its own host names it, or `external`, or a chat. */
  from: Asker,
  /** The asked team, as its own host names it. */
  to: z.string().max(100),
  thread: Name,
  role: z.string().max(100).optional(),
  message: WholeText,
  waits: z.boolean(),
  hop: z.int().min(1).max(1000),
  /** The earlier askers, each as `team@host`, the first one first. */
  chain: z.array(Name).max(100),
  budget: Budget.optional(),
  /** Notices that were left for the pair earlier. They precede the message. */
  notices: z
    .array(z.object({ text: z.string().max(16 * 1024), leftAt: Moment }))
    .max(100)
    .optional(),
  responseSchema: JsonSchema.refine((schema) => JSON.stringify(schema).length <= maxOfSchema).optional(),
  files: z
    .array(z.object({ name: z.string().max(1024), data: FileText }))
    .max(maxFiles)
    .optional(),
  /** W3C Trace Context of the turn's span on the asker's host. */
  traceparent: orAbsent(z.string().max(100), 'its trace'),
  /** Another host may have begun the turn. `host`: the last host that took it. */
  known: z.object({ host: HostName, place: Place.optional() }).optional(),
})
export type KnownOfTurn = NonNullable<AskLetter['known']>
export type AskLetter = z.output<typeof AskLetter>

/** Another host leads the conversation, so the ask has to go to that host. */
export const MovedLetter = z.object({ to: HostName })

/** A person is asked about a tool. `host`: where the person is asked. */
const AskedPerson = z.object({ what: Label(300), host: Label(100) })

/**
 * The host has the turn. `asks`: the turn waits for a person; `limited`: it waits because the account there is over a
 * limit.
 */
export const TakenLetter = z.object({
  asks: orAbsent(AskedPerson, 'a question'),
  limited: orAbsent(LimitThere, 'a limit'),
  begun: orAbsent(Place, 'a place in a log'),
})

/**
 * The sending host may not answer the turn: another host may have begun it, and the log does not say how far that host
 * got.
 */
export const LacksLetter = z.object({ why: cutText(1000, 'its reason') })

export const CancelLetter = z.object({ detail: cutText(10_000, 'its reason') })

export const EndLetter = z.object({
  outcome: z.enum(outcomes),
  reason: Reason.nullable().catch('internal'),
  detail: cutText(10_000, 'its reason').nullable(),
  answer: WholeText.nullable(),
  value: WholeText.nullable(),
  partial: WholeText.nullable(),
  usage: orNull(UsageThere, 'its usage'),
  background: orNull(BackgroundThere, 'its commands in the background'),
  contextReset: cutText(10_000, 'its reason').nullable(),
})
export type EndLetter = z.output<typeof EndLetter>

/** All reports after the end of a turn. `usage` is null if the turn's usage already includes the report's. */
export const ReportedLetter = z.object({
  reports: z
    .array(
      z.object({
        uuid: z.string().min(1).max(100),
        text: WholeText.min(1),
        kind: z.enum(['said', 'ended']),
        usage: orNull(UsageThere, 'its usage'),
      }),
    )
    .max(1000),
})

/** Undefined if the letter cannot be read. Sending it again would not help. */
export function readLetter<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return readBounded(schema, text).value
}

/**
 * Lines of a running turn, sent as they arrive. `n` counts the turn's pieces of lines, so that a lost one is noticed.
 */
const LinesText = z.object({ turn: z.uuid(), n: z.int().nonnegative(), lines: z.array(LineThere).max(10_000) })
/** The maximum length in characters, which is many times what a host collects before it sends. */
const maxOfLines = 8 * 2 ** 20

export function readLines(text: string): Read<z.output<typeof LinesText>> {
  return readBounded(LinesText, text, maxOfLines)
}

/** The end of a turn that never ran on the sending host. */
export function refusedEnd(outcome: 'failed' | 'cancelled', reason: Reason, detail: string): EndLetter {
  const nothing = { answer: null, value: null, partial: null, usage: null, background: null, contextReset: null }
  return { outcome, reason, detail, ...nothing }
}

import { z } from 'zod'
import { mostFiles, mostOfFile } from '../../base/protocol/attachment.ts'
import { Budget } from '../../base/protocol/budget.ts'
import { JsonSchema } from '../../base/protocol/json-schema.ts'
import { BackgroundCommand, outcomes, Reason, Usage } from '../../base/protocol/turn.ts'
import { LimitThere } from './host-entry.ts'

/** The version of the letters. A host refuses newer ones with the reason; unknown fields of its own version pass. */
export const wireVersion = 2
/** An ask without files: hosts of the first version, which would run it without them, need not refuse it. */
export const wireWithoutFiles = 1

/** The length is judged first: to look at each character of tens of MiB would hold up everybody. */
const FileText = z
  .string()
  .max(Math.ceil(mostOfFile / 3) * 4)
  .pipe(z.base64())

/** Another host wrote it, and it goes into the tag of the message as it is: what could end the tag is refused. */
const Asker = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,149}$/)
const Name = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}"<>]{1,300}$/u)

export const AskLetter = z.object({
  wire: z.int(),
  /** The team that asks, as its own host names it, `external`, or a chat. */
  from: Asker,
  /** The team that is asked, as its own host names it. */
  to: z.string(),
  thread: Name,
  role: z.string().optional(),
  message: z.string(),
  waits: z.boolean(),
  hop: z.int().min(1),
  /** Who asked before, each as `team@host`, the first asker first. */
  chain: z.array(Name).max(100),
  budget: Budget.optional(),
  /** Left for the pair earlier; they go before the message. */
  notices: z
    .array(z.object({ text: z.string().max(16 * 1024), leftAt: z.int() }))
    .max(100)
    .optional(),
  responseSchema: JsonSchema.optional(),
  files: z
    .array(z.object({ name: z.string().max(1024), data: FileText }))
    .max(mostFiles)
    .optional(),
  /** W3C Trace Context, of the turn's span at the asker's host. */
  traceparent: z.string().max(100).optional().catch(undefined),
})
export type AskLetter = z.output<typeof AskLetter>

/** Another host leads the conversation: the ask goes there. */
export const MovedLetter = z.object({ to: z.string() })

/** A person is asked about a tool. `host`: where. */
const AskedPerson = z.object({
  what: z
    .string()
    .max(300)
    .regex(/^\P{Cc}*$/u),
  host: z
    .string()
    .max(100)
    .regex(/^\P{Cc}*$/u),
})

/** The host has the turn. `asks`: it waits for a person; `limited`: for a limit of its account. */
export const TakenLetter = z.object({
  asks: AskedPerson.optional().catch(undefined),
  limited: LimitThere.optional().catch(undefined),
})

export const CancelLetter = z.object({ detail: z.string() })

export const EndLetter = z.object({
  outcome: z.enum(outcomes),
  reason: Reason.nullable().catch('internal'),
  detail: z.string().nullable(),
  answer: z.string().nullable(),
  value: z.string().nullable(),
  partial: z.string().nullable(),
  usage: Usage.nullable(),
  background: z.array(BackgroundCommand).readonly().nullable(),
  contextReset: z.string().nullable(),
})
export type EndLetter = z.output<typeof EndLetter>

/** All that came after the end of a turn by itself. `usage`: null where the usage of the turn has it already. */
export const ReportedLetter = z.object({
  reports: z
    .array(
      z.object({
        uuid: z.string().min(1).max(100),
        text: z.string().min(1),
        kind: z.enum(['said', 'ended']),
        usage: Usage.nullable().catch(null),
      }),
    )
    .max(1000),
})

/** Undefined: it cannot be read, and could not if it came again. */
export function readLetter<Read>(schema: z.ZodType<Read>, text: string): Read | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Lines of a running turn, as they come. `n` counts the texts of the turn, so that a lost one shows. */
export const LinesText = z.object({ turn: z.uuid(), n: z.int(), lines: z.array(z.looseObject({ type: z.string() })) })

/** A turn that never ran there. */
export function refusedEnd(outcome: 'failed' | 'cancelled', reason: Reason, detail: string): EndLetter {
  const nothing = { answer: null, value: null, partial: null, usage: null, background: null, contextReset: null }
  return { outcome, reason, detail, ...nothing }
}

import { z } from 'zod'
import type { EarlierWork } from '../../kernel/turn/ask.ts'
import { Count, HostName, Moment } from './bounds.ts'
import { EndLetter } from './letters.ts'
import type { SignedRecord } from './log-seal.ts'

const Id = z.string().max(200)

const ToolStart = z.object({
  toolUseId: Id,
  delivery: Id,
  within: Id.nullable(),
  name: z.string().max(1000),
  inputHash: Id,
  inputShort: z.string().max(10_000),
  startedAt: Moment,
})

/** The content of a record, followed by the text of `lines`. `id` distinguishes the records of one host. */
export const LogEntry = z.discriminatedUnion('kind', [
  /**
   * `host` leads from here on. `size`: how many bytes of the transcript the log has up to here, under the id `session`.
   */
  z.object({ kind: z.literal('leads'), id: Id, host: HostName, session: Id, size: Count }),
  z.object({ kind: z.literal('lines'), id: Id }),
  /** Bytes of a subagent's own transcript. `file` becomes part of a path. */
  z.object({ kind: z.literal('subagent'), id: Id, file: z.string().regex(/^[A-Za-z0-9][\w.-]{0,150}$/) }),
  z.object({
    kind: z.literal('delivers'),
    id: Id,
    turn: Id,
    uuid: Id,
    why: z.enum(['first', 'again', 'continue']),
  }),
  z.object({ kind: z.literal('starts'), id: Id, turn: Id, tool: ToolStart }),
  z.object({ kind: z.literal('checks'), id: Id }),
  z.object({ kind: z.literal('ends'), id: Id, turn: Id, end: EndLetter }),
])
export type LogEntry = z.output<typeof LogEntry>

export function recordOf(entry: LogEntry, text: Uint8Array = Buffer.alloc(0)): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(entry)}\n`), text])
}

/**
 * Undefined for an entry that no entitled host has signed, and for an entry from a later Iris that this one cannot
 * read.
 */
export function entryOf({ bytes, by }: SignedRecord): { readonly entry: LogEntry; readonly text: Buffer } | undefined {
  if (by === undefined) return undefined
  const all = Buffer.from(bytes)
  const end = all.indexOf(10)
  try {
    const parsed = LogEntry.safeParse(JSON.parse(all.subarray(0, end).toString()))
    return parsed.success ? { entry: parsed.data, text: all.subarray(end + 1) } : undefined
  } catch {
    return undefined
  }
}

/** A turn that has begun, as recorded in the log. */
export interface BegunTurn extends EarlierWork {
  /** The numbers of the records of its deliveries and tool starts. */
  readonly records: readonly number[]
  readonly end: EndLetter | undefined
}

const nothing: BegunTurn = { deliveries: [], toolStarts: [], records: [], end: undefined }

/** A record of an open turn may appear twice, because its acknowledgement was lost or because it was restored. */
function withDelivery(turn: BegunTurn, { uuid, why }: BegunTurn['deliveries'][number], number: number): BegunTurn {
  const others = turn.deliveries.filter((delivery) => delivery.uuid !== uuid)
  return { ...turn, deliveries: [...others, { uuid, why }], records: [...turn.records, number] }
}

/** A tool that started must have had a delivery, even if the log has lost the delivery's record. */
function withStart(turn: BegunTurn, tool: BegunTurn['toolStarts'][number], number: number): BegunTurn {
  const isSame = (other: typeof tool): boolean => other.toolUseId === tool.toolUseId && other.delivery === tool.delivery
  const toolStarts = [...turn.toolStarts.filter((other) => !isSame(other)), tool]
  const hasDelivery = turn.deliveries.some(({ uuid }) => uuid === tool.delivery)
  const lost = { uuid: tool.delivery, why: turn.deliveries.length === 0 ? ('first' as const) : ('continue' as const) }
  const deliveries = hasDelivery ? turn.deliveries : [...turn.deliveries, lost]
  return { ...turn, deliveries, toolStarts, records: [...turn.records, number] }
}

/** A conversation as recorded in its log. */
export interface LoggedConversation {
  /** The number of the last record; 0 if there is none. */
  readonly last: number
  readonly leader: { readonly host: string; readonly session: string } | undefined
  /** How many bytes of the leader's transcript the log has. */
  readonly size: number
  /** The whole transcript. */
  readonly text: string
  readonly turns: ReadonlyMap<string, BegunTurn>
  /** The subagents' transcripts, by file name. */
  readonly subagents: ReadonlyMap<string, Buffer>
}

/** The combined content of the records. */
export function conversationIn(records: readonly SignedRecord[]): LoggedConversation {
  let leader: LoggedConversation['leader']
  let size = 0
  const pieces: Buffer[] = []
  const turns = new Map<string, BegunTurn>()
  const subagents = new Map<string, Buffer>()
  const change = (id: string, changed: (turn: BegunTurn) => BegunTurn): void =>
    void turns.set(id, changed(turns.get(id) ?? nothing))
  for (const record of records) {
    const { entry, text } = entryOf(record) ?? {}
    // Only the leading host may add to a conversation.
    if (entry && record.by !== (entry.kind === 'leads' ? entry.host : leader?.host)) continue
    if (entry?.kind === 'leads') {
      // A leader without the earlier transcript starts the conversation over.
      if (entry.size === 0) {
        pieces.length = 0
        subagents.clear()
      } else pieces.push(Buffer.from('\n'))
      leader = { host: entry.host, session: entry.session }
      size = entry.size
    } else if (entry?.kind === 'lines') {
      pieces.push(text!)
      size += text!.length
    } else if (entry?.kind === 'subagent') {
      subagents.set(entry.file, Buffer.concat([subagents.get(entry.file) ?? Buffer.alloc(0), text!]))
    } else if (entry?.kind === 'delivers') change(entry.turn, (turn) => withDelivery(turn, entry, record.number))
    else if (entry?.kind === 'starts') change(entry.turn, (turn) => withStart(turn, entry.tool, record.number))
    else if (entry?.kind === 'ends') change(entry.turn, (turn) => ({ ...turn, end: entry.end }))
  }
  const last = records.at(-1)?.number ?? 0
  return { last, leader, size, text: Buffer.concat(pieces).toString(), turns, subagents }
}

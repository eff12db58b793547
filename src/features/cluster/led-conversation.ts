import type { Clock } from '../../base/lib/clock.ts'
import type { EarlierWork } from '../../kernel/turn/ask.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import type { BegunTurn, LogEntry } from './conversation-log.ts'
import type { LogEnds } from './log-ends.ts'
import type { LogSeal } from './log-seal.ts'
import type { ConversationLogs } from './ports.ts'

export interface LeadParts {
  readonly clock: Clock
  readonly newId: () => string
  /** The name of this host. */
  readonly self: () => string
  /** Undefined while this host is not joined with others. */
  readonly logs: () => ConversationLogs | undefined
  readonly logSeal: LogSeal
  readonly logEnds: Pick<LogEnds, 'of' | 'put'>
}

/** The callbacks for one conversation's log, as its host reads it. */
export interface LeadListener {
  /** The log has a new last record for this turn: a delivery or a tool start. */
  readonly began: (turn: string) => void
  /**
   * The servers have lost records of this host: the number of the log's last record was `was`, and is now `is`, or 0 if
   * the log is empty.
   */
  readonly lost: (was: number, is: number) => void
}

/** The place of the last record about a turn in a log. `log` is the hash of the log's first record. */
export interface LogPlace {
  readonly log: string
  readonly record: number
}

/** The conversation on the leading host's disk. */
export interface LedConversation {
  readonly session: string
  readonly file: () => Promise<FoundFile | undefined>
  /** The transcripts of the conversation's subagents. */
  readonly subagents: (file: FoundFile) => Promise<readonly FoundFile[]>
  /** The conversation's turns that have not ended. */
  readonly open: () => readonly OpenTurn[]
}

/** The ledger's view of a turn that has not ended. */
export interface OpenTurn extends EarlierWork {
  readonly turn: string
}

export type NewEntry = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'id'> : never) : never

/**
 * Records of open turns that are in the ledger but not in the log, for example after a loss. Leaves out `next`, which
 * is about to be added anyway.
 */
export function missingOf(
  open: readonly OpenTurn[],
  begun: ReadonlyMap<string, BegunTurn>,
  next: NewEntry,
): readonly NewEntry[] {
  const missing = open.flatMap(({ turn, deliveries, toolStarts }): NewEntry[] => {
    const had = begun.get(turn)
    const isMissing = ({ uuid }: { uuid: string }): boolean => !had?.deliveries.some((each) => each.uuid === uuid)
    const started = new Set(had?.toolStarts.map(({ toolUseId }) => toolUseId))
    return [
      ...deliveries.filter(isMissing).map(({ uuid, why }) => ({ kind: 'delivers' as const, turn, uuid, why })),
      ...toolStarts
        .filter(({ toolUseId }) => !started.has(toolUseId))
        .map((tool) => ({ kind: 'starts' as const, turn, tool })),
    ]
  })
  return missing.filter((entry) => !isSame(entry, next))
}

function isSame(one: NewEntry, other: NewEntry): boolean {
  if (one.kind === 'delivers') return other.kind === 'delivers' && other.uuid === one.uuid
  if (one.kind === 'starts') return other.kind === 'starts' && other.tool.toolUseId === one.tool.toolUseId
  return false
}

import type { Task } from '../../base/agent/run.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Usage } from '../../base/protocol/turn.ts'
import { reportText } from '../../claude/driver/report-text.ts'
import { TokenMeter } from '../../claude/driver/token-meter.ts'
import type { ReportRow } from '../../platform/store/reports.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Session } from '../session/session.ts'
import { noteCompaction } from './context-maintenance.ts'

type Parts = Pick<OrchestratorParts, 'ledger' | 'transcripts' | 'compactions' | 'clock' | 'publish' | 'log'>

/**
 * Records what Claude Code does without a message. What a tool of an earlier turn caused, such as a background command,
 * is recorded as a report of that turn.
 */
export class UnsolicitedTurns {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Records an unsolicited turn that has ended, was cut off, or was joined by a message. */
  ended(session: Session, turn: EndedUnsolicitedTurn): void {
    const { result, lines, toolUseId } = turn
    if (lines.length > 0) this.#show(session, turn)
    const uuid = result?.uuid ?? lines.at(-1)?.['uuid'] ?? (turn.isCut && `${toolUseId}:cut`)
    if (toolUseId === undefined || typeof uuid !== 'string') return
    const usage = turn.isCut ? usedIn(turn) : (result?.usage ?? null)
    this.#add(session, toolUseId, { uuid, text: reportText(turn), kind: 'said', usage })
  }

  /** Records commands that ended with their process, so that no unsolicited turn will report them. */
  cutOff(session: Session, commands: readonly Task[]): void {
    for (const { id, toolUseId, command } of commands)
      this.#add(session, toolUseId, { uuid: id, text: command, kind: 'ended', usage: null })
  }

  #add(session: Session, toolUseId: string, report: Omit<ReportRow, 'turn' | 'reportedAt'>): void {
    const { ledger, clock, publish, log } = this.#parts
    try {
      const turn = ledger.reports.ownerOf(session.row.id, toolUseId)
      if (turn === undefined) return
      const isNew = ledger.reports.add({ ...report, turn, reportedAt: clock.now() })
      const { kind, text } = report
      if (isNew && text !== '') publish({ type: 'turn-reported', turnId: turn, kind, ...session.ids })
    } catch (error) {
      log.error(`a background report could not be recorded: ${String(error)}`, { sessionId: session.sessionId })
    }
  }

  /** Writes the unsolicited turn into the transcript for people. */
  #show(session: Session, { lines }: EndedUnsolicitedTurn): void {
    const shown = this.#parts.transcripts.begin(session.transcriptHead, { prompt: null, resumed: true })
    for (const line of lines) {
      shown.line(line)
      noteCompaction(session, line, this.#parts)
    }
    shown.end({ outcome: 'completed', reason: null, detail: null, durationMs: null, usage: null })
  }
}

/** The usage of a turn that was cut off, counted from its lines because its result was lost with the process. */
function usedIn({ lines }: EndedUnsolicitedTurn): Usage | null {
  const meter = new TokenMeter()
  for (const line of lines) meter.take(line)
  return meter.tokens === 0 ? null : meter.usage
}

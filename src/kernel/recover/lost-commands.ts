import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { cutReport } from '../../claude/driver/report-text.ts'
import { commandsWithoutReport } from '../../claude/driver/unreported-commands.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { TurnWithCommands } from '../../platform/store/reports.ts'
import type { SessionRow } from '../../platform/store/sessions.ts'
import type { Launcher } from '../pool/launch.ts'
import type { Sessions } from '../session/sessions.ts'

export interface LostCommandsParts {
  readonly ledger: Pick<Ledger, 'reports' | 'toolStarts'>
  readonly sessions: Pick<Sessions, 'rowOf'>
  readonly launcher: Pick<Launcher, 'isRemote' | 'transcriptOf'>
  readonly clock: Pick<Clock, 'now'>
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

/** How many turns with commands to examine, and how far back, in milliseconds. */
const maxTurns = 100
const maxAgoMs = 30 * 24 * 3_600_000

/**
 * Records the background commands that ended unnoticed with a killed daemon. Call it when no process of an earlier
 * daemon is left and before new processes start. Commands on another machine are still running, so they are not
 * recorded.
 */
export async function recordLostCommands(parts: LostCommandsParts): Promise<void> {
  const { ledger, sessions, clock, log } = parts
  try {
    const turnsWithCommands = ledger.reports.withCommands(clock.now() - maxAgoMs, maxTurns)
    // One conversation after the other, because nobody waits for the result.
    for (const [session, turns] of Map.groupBy(turnsWithCommands, ({ session }) => session))
      await recordOfSession(sessions.rowOf(session), turns, parts)
  } catch (error) {
    log.warn(`the background commands that ended with an earlier daemon could not be recorded: ${String(error)}`)
  }
}

async function recordOfSession(
  { sessionId, from, to, thread }: SessionRow,
  turns: readonly TurnWithCommands[],
  { ledger: { reports, toolStarts }, launcher, clock, publish, log }: LostCommandsParts,
): Promise<void> {
  try {
    if (launcher.isRemote(to)) return
    const starts = toolStarts.of(turns.map(({ id }) => id))
    const transcript = await launcher.transcriptOf({ to, sessionId })
    const toolUseIds = new Set(starts.map(({ toolUseId }) => toolUseId))
    const unreported = transcript && (await commandsWithoutReport(transcript, toolUseIds, turns[0]!.lastEndAt))
    for (const { turn, toolUseId } of starts) {
      const found = unreported?.get(toolUseId)
      const stillRunning = turns.find(({ id }) => id === turn)!.background
      if (found === undefined || !stillRunning.some(({ command }) => command === found.command)) continue
      const kind = found.said === undefined ? 'ended' : 'said'
      const text = found.said === undefined ? found.command : cutReport(found.said)
      const known = reports.of([turn]).filter((report) => report.kind === kind)
      // The ledger's report may be longer than the conversation's, so any report of the turn counts as a match.
      if (known.some((report) => kind === 'said' || report.text === text)) continue
      const isNew = reports.add({ turn, uuid: toolUseId, text, kind, usage: null, reportedAt: clock.now() })
      if (isNew) publish({ type: 'turn-reported', turnId: turn, kind, sessionId, from, to, thread })
    }
  } catch (error) {
    log.warn(
      `the background commands of a conversation that ended with an earlier daemon could not be recorded: ${String(error)}`,
      { sessionId },
    )
  }
}

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

/** How far back it looks: turns, and milliseconds. */
const maxTurns = 100
const maxAgoMs = 30 * 24 * 3_600_000

/**
 * Records the commands in the background that ended with a killed daemon: nobody saw their end. Call it once no process of a former
 * daemon is left, and before others start. On another machine they go on.
 */
export async function recordLostCommands(parts: LostCommandsParts): Promise<void> {
  const { ledger, sessions, clock, log } = parts
  try {
    const left = ledger.reports.withCommands(clock.now() - maxAgoMs, maxTurns)
    // One conversation after the other: nobody waits for it.
    for (const [session, turns] of Map.groupBy(left, ({ session }) => session))
      await ofSession(sessions.rowOf(session), turns, parts)
  } catch (error) {
    log.warn(`nobody knows which commands ended with a daemon: ${String(error)}`)
  }
}

async function ofSession(
  { sessionId, from, to, thread }: SessionRow,
  turns: readonly TurnWithCommands[],
  { ledger: { reports, toolStarts }, launcher, clock, publish, log }: LostCommandsParts,
): Promise<void> {
  try {
    if (launcher.isRemote(to)) return
    const starts = toolStarts.of(turns.map(({ id }) => id))
    const transcript = await launcher.transcriptOf({ to, sessionId })
    const uses = new Set(starts.map(({ toolUseId }) => toolUseId))
    const unreported = transcript && (await commandsWithoutReport(transcript, uses, turns[0]!.lastEndAt))
    for (const { turn, toolUseId } of starts) {
      const found = unreported?.get(toolUseId)
      const left = turns.find(({ id }) => id === turn)!.background
      if (found === undefined || !left.some(({ command }) => command === found.command)) continue
      const kind = found.said === undefined ? 'ended' : 'said'
      const text = found.said === undefined ? found.command : cutReport(found.said)
      const known = reports.of([turn]).filter((report) => report.kind === kind)
      // The last words of a report may be missing in the conversation: any report of the turn may be that.
      if (known.some((report) => kind === 'said' || report.text === text)) continue
      const isNew = reports.add({ turn, uuid: toolUseId, text, kind, usage: null, reportedAt: clock.now() })
      if (isNew) publish({ type: 'turn-reported', turnId: turn, kind, sessionId, from, to, thread })
    }
  } catch (error) {
    log.warn(`nobody knows which commands of a conversation ended with the daemon: ${String(error)}`, { sessionId })
  }
}

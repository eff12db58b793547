import type { Line } from '../../base/agent/line.ts'
import { pause } from '../../base/lib/clock.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import { withinBounds } from '../deliver/long-answers.ts'
import type { OrchestratorParts, WorkerBoard } from '../recover/parts.ts'
import { chainOf } from '../session/chain.ts'
import type { AskedPerson, OtherHosts } from '../session/other-hosts.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import type { OwnedTurn } from '../turn/owned-turn.ts'
import { ended, stopped, type Verdict } from '../turn/verdict.ts'

/** How long to pause before another try while the store is unavailable, milliseconds. */
const retryMs = 1000

interface Ways {
  /** Commits that the turn is handed to another host or an open session. */
  readonly dispatch: () => void
  /** Runs the turn in a process of this Iris. */
  readonly here: () => Promise<Verdict>
}

/**
 * Carries a turn to its verdict, on whichever host it is answered. The verdict's texts fit into
 * `settings.maxAnswerBytes`.
 */
export async function runTurn(
  turn: OwnedTurn,
  session: Session,
  parts: OrchestratorParts,
  board: WorkerBoard,
  { dispatch, here }: Ways,
): Promise<Verdict> {
  const carrier = carrierOf(session, parts.seams)
  const running = carrier ? runElsewhere(turn, session, carrier, parts, board, dispatch) : here()
  return withinBounds(turn.id, session.sessionId, await running, parts)
}

/**
 * Carries a turn to its verdict. The turn is answered by another host or in an open session. `dispatch` commits the
 * hand-over before it happens. A repeated hand-over is harmless, because the other host already has the turn's row.
 */
async function runElsewhere(
  turn: OwnedTurn,
  session: Session,
  carrier: Pick<OtherHosts, 'carry'>,
  parts: OrchestratorParts,
  board: WorkerBoard,
  dispatch: () => void,
): Promise<Verdict> {
  const { ledger, clock, log, notices } = parts
  for (;;) {
    if (turn.cancelled.aborted && turn.delivery === undefined) return stopped(turn)
    try {
      if (turn.delivery === undefined) ledger.written(dispatch)
      await ledger.durable()
      const { id, facts } = turn
      const chain = chainOf(turn, { ...parts, otherHosts: parts.seams.otherHosts }).slice(0, -1)
      const end = await carrier.carry(
        {
          id,
          facts,
          cancelled: turn.cancelled,
          chain,
          budget: board.leftFor(turn),
          notices: notices.ofTurn(id),
          files: (facts.attachments ?? []).map((file) => parts.seams.files.withContent(file)),
        },
        {
          took: () => turn.hadBegun(turn.now()),
          hear: (line) => take(line, turn, session, parts, board),
          awaits: ({ asks: person, limited }) => {
            asks(person, turn, session, parts)
            parts.seams.accounts.waitsElsewhere(id, limited)
          },
        },
      )
      if (end === undefined) return stopped(turn)
      const { value, contextReset, ...verdict } = end
      if (value !== null && turn.value === undefined) {
        ledger.giveValue(turn.id, value)
        turn.valueTaken(value)
      }
      turn.resetContext(contextReset)
      return verdict
    } catch (error) {
      if (!isStoreTrouble(error)) return ended('failed', 'internal', String(error), turn.partialText)
      log.warn(`a message for another host waits for the store: ${String(error)}`, { turnId: turn.id })
    } finally {
      parts.seams.accounts.waitsElsewhere(turn.id, undefined)
    }
    await pause(clock.machine, retryMs, turn.cancelled)
    if (board.isLeaving()) return stopped(turn)
  }
}

/** Who answers a session's messages. Undefined if this Iris does. */
export function carrierOf(
  { to, thread }: Pair,
  { openSessions, otherHosts }: Pick<Seams, 'openSessions' | 'otherHosts'>,
): Pick<OtherHosts, 'carry'> | undefined {
  if (isOpenSessionThread(thread)) return openSessions
  return otherHosts.isThere(to) ? otherHosts : undefined
}

function asks(
  person: AskedPerson | undefined,
  turn: OwnedTurn,
  session: Session,
  { publish }: OrchestratorParts,
): void {
  const what = person && `${person.what} at ${person.host}`
  if (turn.asksElsewhere === what) return
  turn.asksPerson(what)
  publish({ type: 'turn-asks-elsewhere', turnId: turn.id, what: what ?? null, ...session.ids })
}

function take(line: Line, turn: OwnedTurn, session: Session, { publish }: OrchestratorParts, board: WorkerBoard): void {
  turn.take(line)
  board.saw(turn, line)
  publish({ type: 'turn-message', message: line, turnId: turn.id, ...session.ids })
}

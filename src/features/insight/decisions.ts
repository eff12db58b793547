import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import { pairKey } from '../../kernel/session/session.ts'
import type { InsightDecisions, WarmUse } from './rows/insight-decisions.ts'

export interface RecordDecisionsParts {
  readonly rows: InsightDecisions
  readonly log: Log
}

interface RunningProcess {
  readonly startedAt: number
  readonly readyMs: number
  /** The first message that the process got. */
  use?: WarmUse
  /** The id of its row, if the process was started ahead. */
  row?: number
  /** The id of its row, if load balancing kept the process and no message has come since. */
  kept?: number
}

/**
 * Records Iris's automatic decisions and what they saved: processes started ahead or kept, turns that overtook others,
 * and collisions.
 */
export class RecordDecisions {
  readonly #parts: RecordDecisionsParts
  /** The running processes, by conversation. */
  readonly #processes = new Map<string, RunningProcess>()

  constructor(parts: RecordDecisionsParts) {
    this.#parts = parts
  }

  /** Never throws. If the store cannot be written, a line on the Insight page is lost, but no message. */
  take(event: PublishedEvent): void {
    try {
      this.#take(event)
    } catch (error) {
      this.#parts.log.info(`a decision was not recorded: ${String(error)}`)
    }
  }

  #take(event: PublishedEvent): void {
    const { rows } = this.#parts
    if (event.type === 'process-spawned') {
      const { at, readyMs } = event
      this.#processes.set(pairKey(event), { startedAt: at - readyMs, readyMs })
    } else if (event.type === 'process-terminated') this.#processes.delete(pairKey(event))
    else if (event.type === 'warmed-ahead') {
      const running = this.#processes.get(pairKey(event))
      const row = rows.started(event)
      // The process may have got a message already.
      if (running?.use) rows.used(row, running.use)
      else if (running) running.row = row
    } else if (event.type === 'process-kept') this.#kept(event)
    else if (event.type === 'turn-overtook') {
      rows.overtook({ at: event.at, turn: event.turnId, overtaken: event.overtaken })
    } else if (event.type === 'turn-delivered') this.#delivered(event)
    else if (event.type === 'files-collided') {
      const { at, turnId: turn, otherTurnId: otherTurn, path } = event
      rows.collided({ at, turn, otherTurn, path })
    }
  }

  #kept({ at, from, to, thread, instead }: Extract<PublishedEvent, { type: 'process-kept' }>): void {
    const running = this.#processes.get(pairKey({ from, to, thread }))
    if (running && running.kept === undefined)
      running.kept = this.#parts.rows.keptProcess({ at, from, to, thread, ended: instead })
  }

  #delivered(event: Extract<IrisEvent, { type: 'turn-delivered' }> & { readonly at: number }): void {
    const running = this.#processes.get(pairKey(event))
    if (running?.kept !== undefined) {
      // Without the kept process, the message would have had to wait until another one had started.
      this.#parts.rows.usedKept(running.kept, { turn: event.turnId, usedAt: event.at, savedMs: running.readyMs })
      delete running.kept
    }
    if (running === undefined || running.use) return
    const { startedAt, readyMs, row } = running
    // A message that came while the process was starting waited for the rest of the start.
    const headStart = event.at - event.queuedMs - startedAt
    const savedMs = Math.round(Math.min(Math.max(headStart, 0), readyMs))
    running.use = { turn: event.turnId, usedAt: event.at, savedMs }
    if (row !== undefined) this.#parts.rows.used(row, running.use)
  }
}

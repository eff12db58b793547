import type { Log } from '../../base/lib/log.ts'
import type { ClusterBegunRows, LogEnd } from './rows/cluster-begun.ts'

export interface LogEndsParts {
  readonly begunRows: Pick<ClusterBegunRows, 'logEnd' | 'putLogEnd'>
  readonly log: Log
}

/** The ends of the logs that this host leads, as its own store has them. Without the store no loss is found. */
export class LogEnds {
  readonly #parts: LogEndsParts

  constructor(parts: LogEndsParts) {
    this.#parts = parts
  }

  of(team: string, conversation: string): LogEnd | undefined {
    try {
      return this.#parts.begunRows.logEnd(team, conversation)
    } catch {
      return undefined
    }
  }

  /** `end` undefined: the log is empty. */
  put(team: string, conversation: string, end: LogEnd | undefined): void {
    try {
      this.#parts.begunRows.putLogEnd(team, conversation, end)
    } catch (error) {
      this.#parts.log.debug(`where the log of a conversation ends could not be kept: ${String(error)}`)
    }
  }
}

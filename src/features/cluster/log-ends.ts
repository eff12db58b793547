import type { Log } from '../../base/lib/log.ts'
import type { ClusterBegunRows, LogEnd } from './rows/cluster-begun.ts'

export interface LogEndsParts {
  readonly begunRows: Pick<ClusterBegunRows, 'logEnd' | 'putLogEnd'>
  readonly log: Log
}

/**
 * This host's own record of the ends of the logs that it leads. If the store is lost, losses in the logs go unnoticed.
 */
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

  /** `end` is undefined if the log is empty. */
  put(team: string, conversation: string, end: LogEnd | undefined): void {
    try {
      this.#parts.begunRows.putLogEnd(team, conversation, end)
    } catch (error) {
      this.#parts.log.debug(`the end of a conversation's log could not be stored: ${String(error)}`)
    }
  }
}

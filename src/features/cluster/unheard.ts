import type { Log } from '../../base/lib/log.ts'
import { maxHosts } from './directory-room.ts'

/**
 * Hosts that have sent messages but have not announced themselves yet. Their messages wait for the announcement. The
 * mailbox drops a letter after a week.
 */
export class Unheard {
  readonly #names = new Set<string>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** The error that makes a letter from this host wait. */
  waits(host: string): Error {
    const what = `${host} has not announced itself`
    const isNew = this.#names.size < maxHosts && !this.#names.has(host)
    if (isNew) this.#log.warn(`a message from ${host} is waiting: ${what}`)
    if (isNew) this.#names.add(host)
    return new Error(what)
  }
}

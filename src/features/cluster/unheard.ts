import type { Log } from '../../base/lib/log.ts'
import { maxHosts } from './directory-room.ts'

/** Hosts whose messages wait for their announcement, which may be on its way. The mailbox drops a letter after a week. */
export class Unheard {
  readonly #names = new Set<string>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** The error with which a letter of this host waits. */
  waits(host: string): Error {
    const what = `${host} has not announced itself`
    const isNew = this.#names.size < maxHosts && !this.#names.has(host)
    if (isNew) this.#log.warn(`a message of ${host} waits: ${what}`)
    if (isNew) this.#names.add(host)
    return new Error(what)
  }
}

import type { Log } from '../../base/lib/log.ts'

/** What this host did not believe, did not take in, or cut, of one host since Iris started. */
export interface Refused {
  readonly host: string
  readonly count: number
  /** Of the last time. */
  readonly why: string
}

/** Further names are only counted: whoever reaches the servers can make up any number. */
const mostNames = 100
const further = 'others'

/** Counts what claims to come from other hosts and is refused or cut. */
export class Refusals {
  readonly #log: Pick<Log, 'warn'>
  readonly #byHost = new Map<string, Refused>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  add(host: string, why: string): void {
    const name = this.#byHost.has(host) || this.#byHost.size < mostNames ? host : further
    const before = this.#byHost.get(name)
    if (before?.why !== why) this.#log.warn(`what comes from ${name} is not taken as it is: ${why}`)
    this.#byHost.set(name, { host: name, count: (before?.count ?? 0) + 1, why })
  }

  all(): readonly Refused[] {
    return [...this.#byHost.values()]
  }
}

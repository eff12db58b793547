import type { z } from 'zod'
import type { Log } from '../../base/lib/log.ts'
import { readBounded } from './bounds.ts'
import type { Letter } from './ports.ts'

/** Data from one host that this host distrusted, rejected or cut since Iris started. */
export interface Refused {
  readonly host: string
  readonly count: number
  /** The reason for the latest refusal. */
  readonly why: string
}

export const unreadable = 'a letter cannot be read, or is out of bounds'

/**
 * Beyond this number of names, refusals are only counted, because anyone who can reach the servers can make up names.
 */
const maxNames = 100
const further = 'others'

/** Counts the data that claims to come from other hosts and that is refused or cut. */
export class Refusals {
  readonly #log: Pick<Log, 'warn'>
  readonly #byHost = new Map<string, Refused>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  add(host: string, why: string): void {
    const name = this.#byHost.has(host) || this.#byHost.size < maxNames ? host : further
    const before = this.#byHost.get(name)
    if (before?.why !== why) this.#log.warn(`data from ${name} was refused or cut: ${why}`)
    this.#byHost.set(name, { host: name, count: (before?.count ?? 0) + 1, why })
  }

  /** Reads a letter from that host. Undefined if the letter cannot be read. Sending it again would not help. */
  read<T>(schema: z.ZodType<T>, host: string, { text }: Pick<Letter, 'text'>): T | undefined {
    const { value, cuts } = readBounded(schema, text)
    for (const why of value === undefined ? [unreadable] : cuts) this.add(host, why)
    return value
  }

  all(): readonly Refused[] {
    return [...this.#byHost.values()]
  }
}

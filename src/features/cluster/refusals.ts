import type { z } from 'zod'
import type { Log } from '../../base/lib/log.ts'
import { readBounded } from './bounds.ts'
import type { Letter } from './ports.ts'

/** The data of one host that this host distrusted, rejected or cut since Iris started. */
export interface Refused {
  readonly host: string
  readonly count: number
  /** Why, the last time. */
  readonly why: string
}

export const unreadable = 'a letter cannot be read, or is out of bounds'

/** Further names are only counted: anyone who can reach the servers can make up any number. */
const maxNames = 100
const further = 'others'

/** Counts what claims to come from other hosts and is refused or cut. */
export class Refusals {
  readonly #log: Pick<Log, 'warn'>
  readonly #byHost = new Map<string, Refused>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  add(host: string, why: string): void {
    const name = this.#byHost.has(host) || this.#byHost.size < maxNames ? host : further
    const before = this.#byHost.get(name)
    if (before?.why !== why) this.#log.warn(`what comes from ${name} is not taken as it is: ${why}`)
    this.#byHost.set(name, { host: name, count: (before?.count ?? 0) + 1, why })
  }

  /** Reads a letter of that host. Undefined: it cannot be read, even if it came again. */
  read<T>(schema: z.ZodType<T>, host: string, { text }: Pick<Letter, 'text'>): T | undefined {
    const { value, cuts } = readBounded(schema, text)
    for (const why of value === undefined ? [unreadable] : cuts) this.add(host, why)
    return value
  }

  all(): readonly Refused[] {
    return [...this.#byHost.values()]
  }
}

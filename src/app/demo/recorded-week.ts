/** One message of the week. Times are milliseconds since the epoch. */
export interface WeekTurn {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly message: string
  /** Null if the message failed. */
  readonly answer: string | null
  /** The turn whose agent asked. */
  readonly parent: string | null
  readonly at: number
  readonly tookMs: number
  readonly costUsd: number
  readonly tools: readonly WeekTool[]
}

interface WeekTool {
  readonly name: string
  readonly input: string
  readonly tookMs: number
}

/** A permission question that a person answered. */
interface WeekQuestion {
  readonly turn: WeekTurn
  readonly command: string
  /** In Claude Code's syntax. */
  readonly rule: string
  readonly isAllowed: boolean
}

/** A fault that Iris healed, with the fields of the table of faults. */
interface WeekFault {
  readonly fault: string
  readonly subject: string
  readonly found: string
  readonly action: string
  readonly at: number
  readonly tookMs: number
}

export interface RecordedWeek {
  readonly turns: readonly WeekTurn[]
  readonly questions: readonly WeekQuestion[]
  /** The latest turns whose answers rely on a file that has changed since. */
  readonly outdated: readonly WeekTurn[]
  /** Messages that found a process which had been started ahead, and how many such processes got no message. */
  readonly startedAhead: { readonly used: readonly WeekTurn[]; readonly unused: number; readonly savedMs: number }
  /** Two running messages that used the same file. */
  readonly collision: { readonly turn: WeekTurn; readonly other: WeekTurn; readonly path: string }
  readonly faults: readonly WeekFault[]
  /** The turn whose answer was given again. */
  readonly givenAgain: { readonly turn: WeekTurn; readonly times: number }
}

const weekTeams = ['frontend', 'backend', 'mobile', 'billing'] as const
/** What is hidden in the week. Everything else in it is noise. */
export const planted = {
  endpoint: 'Where is the orders endpoint defined?',
  sandbox: 'How do I run the payment tests against the sandbox?',
  cart: 'What is the largest number of items in a cart?',
  chain: ['mobile', 'backend', 'billing'],
  failing: ['frontend', 'billing'],
  busyHour: 10,
  slowTool: 'npm test',
  rule: 'npm run typecheck:*',
  circle: 'src/screens/checkout.tsx',
} as const

const days = 7
const [dayMs, hourMs] = [86_400_000, 3_600_000]
const verbs = [
  'Check',
  'Review',
  'Explain',
  'Simplify',
  'Document',
  'Profile',
  'Rename',
  'Cover',
  'Estimate',
  'Compare',
]
const objects = [
  'invoice',
  'basket',
  'login',
  'voucher',
  'refund',
  'catalogue',
  'shipping',
  'avatar',
  'newsletter',
  'warehouse',
  'rating',
  'wishlist',
  'address',
  'discount',
  'stock',
  'receipt',
  'subscription',
  'gift',
  'banner',
  'supplier',
]
const parts = [
  'job',
  'table',
  'form',
  'cache',
  'webhook',
  'migration',
  'fixture',
  'screen',
  'export',
  'parser',
  'queue',
  'schema',
  'index',
  'endpoint',
]
const concerns = [
  'with a second currency',
  'after midnight',
  'without a network',
  'on old telephones',
  'for guests',
  'under load',
  'in right-to-left languages',
  'after a retry',
  'when the clock jumps',
  'behind a proxy',
  'in the sandbox of partners',
  'during a release',
  'for large customers',
  'with empty names',
]

/**
 * An invented week of four teams that work together, with noise and, hidden in it, the patterns that Iris should
 * notice. The same seed makes the same week. The week ends at `until`, a local midnight.
 */
export function recordedWeek(seed: number, until: number): RecordedWeek {
  return new Week(seed, until - days * dayMs).made()
}

class Week {
  readonly #begin: number
  readonly #turns: WeekTurn[] = []
  readonly #said = new Set<string>()
  #state: number

  constructor(seed: number, begin: number) {
    this.#state = seed
    this.#begin = begin
  }

  made(): RecordedWeek {
    const { endpoint, sandbox, cart, chain, failing, slowTool, circle, busyHour } = planted
    for (let n = 0; n < 120; n++) this.#noise({})
    for (let n = 0; n < 60; n++) this.#noise({ at: this.#moment(busyHour, n % days) })
    const answer = 'The orders endpoint is in src/api.ts.'
    const read = [{ name: 'Read', input: 'src/api.ts', tookMs: 40 }]
    const asked = (message: string, to: string, n: number, more: Partial<WeekTurn>): WeekTurn =>
      this.#turn({ message, from: n % 2 === 0 ? 'frontend' : 'mobile', to, at: this.#moment(15, n), ...more })
    const defined = [
      endpoint,
      'Which file defines the orders endpoint?',
      'Please tell me where the orders endpoint is.',
    ]
    const endpoints = [0, 1, 2, 3, 4, 5].map((n) =>
      asked(defined[n % 3]!, 'backend', n, { answer, tools: read, costUsd: 0.04 }),
    )
    const howToRun = 'Start the sandbox with npm run sandbox, then run npm run test:payments.'
    const sandboxes = [1, 2, 4, 6].map((n) => asked(sandbox, 'billing', n, { answer: howToRun, costUsd: 0.12 }))
    for (const n of [1, 3, 5]) {
      asked(cart, 'backend', n, {
        answer: n < 5 ? 'At most 100 items.' : 'At most 250 items.',
        at: this.#moment(17, n),
      })
    }
    const led: WeekTurn[] = []
    for (let n = 0; n < 22; n++) {
      const first = this.#noise({ from: chain[0], to: chain[1], costUsd: 0.03 })
      if (n % 6 === 0) continue
      led.push(this.#noise({ from: chain[1], to: chain[2], parent: first.id, at: first.at + 4000, costUsd: 0.15 }))
    }
    for (let n = 0; n < 24; n++) {
      this.#noise({ from: failing[0], to: failing[1], ...(n % 4 > 0 && { answer: null, tookMs: 600_000 }) })
    }
    for (let n = 0; n < 16; n++) {
      const tools = [{ name: 'Bash', input: slowTool, tookMs: 45_000 + this.#pick(45_000) }]
      this.#noise({ from: 'mobile', to: 'frontend', tools, tookMs: 120_000 })
    }
    const again = Array.from({ length: 6 }, () => ({ name: 'Read', input: circle, tookMs: 30 }))
    this.#noise({ from: 'backend', to: 'mobile', tools: again })
    const turns = this.#turns.toSorted((one, other) => one.at - other.at)
    return {
      turns,
      questions: this.#questions(turns),
      outdated: endpoints.slice(-2),
      faults: this.#faults(),
      startedAhead: { used: led, unused: 4, savedMs: 900 },
      collision: { turn: led[0]!, other: led[1]!, path: 'src/refunds.ts' },
      givenAgain: { turn: sandboxes[0]!, times: 3 },
    }
  }

  /** Permission questions. One rule would have answered some of them; half of the others were denied. */
  #questions(turns: readonly WeekTurn[]): readonly WeekQuestion[] {
    const of = (team: string): readonly WeekTurn[] => turns.filter(({ to }) => to === team)
    const typecheck = of('billing').slice(0, 9)
    const push = of('frontend').slice(0, 8)
    return [
      ...typecheck.map((turn) => ({ turn, command: 'npm run typecheck', rule: planted.rule, isAllowed: true })),
      ...push.map((turn, n) => ({ turn, command: 'git push', rule: 'git push:*', isAllowed: n % 2 === 0 })),
    ]
  }

  #faults(): readonly WeekFault[] {
    const died = {
      fault: 'process_died',
      subject: 'mobile → backend',
      found: 'its process ended by itself: exit code 137',
      action: 'what it left running is ended; the next message resumes the conversation',
    }
    const limit = { fault: 'account_limit', subject: 'billing', found: 'five_hour' }
    return [
      { ...died, at: this.#moment(11, 2), tookMs: 2400 },
      { ...limit, action: 'messages wait in their queues', at: this.#moment(14, 4), tookMs: 47 * 60_000 },
    ]
  }

  /** A message unlike any other one to that team. */
  #noise(given: Partial<WeekTurn>): WeekTurn {
    const from = given.from ?? this.#one(weekTeams)
    const to = given.to ?? this.#one(weekTeams.filter((team) => team !== from))
    for (;;) {
      const [object, part, concern] = [this.#one(objects), this.#one(parts), this.#one(concerns)]
      // If two messages had two of these three parts in common, Iris would count them as the same question.
      const pairs = [`${object} ${part}`, `${object} ${concern}`, `${part} ${concern}`].map((pair) => `${to} ${pair}`)
      if (pairs.some((pair) => this.#said.has(pair))) continue
      for (const pair of pairs) this.#said.add(pair)
      const message = `${this.#one(verbs)} the ${object} ${part} ${concern}.`
      return this.#turn({ from, to, message, answer: `Done: the ${object} ${part} is in order.`, ...given })
    }
  }

  #turn(given: Pick<WeekTurn, 'from' | 'to' | 'message'> & Partial<WeekTurn>): WeekTurn {
    const number = this.#turns.length + 1
    const turn: WeekTurn = {
      // The commands show the first eight characters.
      id: `${(Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`,
      answer: null,
      parent: null,
      at: this.#moment(7 + this.#pick(15), this.#pick(days)),
      tookMs: 4000 + this.#pick(20_000),
      costUsd: (10 + this.#pick(30)) / 1000,
      tools: [{ name: 'Read', input: `src/${this.#one(objects)}-${number}.ts`, tookMs: 20 + this.#pick(200) }],
      ...given,
    }
    this.#turns.push(turn)
    return turn
  }

  #moment(hour: number, day: number): number {
    return this.#begin + day * dayMs + hour * hourMs + this.#pick(hourMs - 60_000)
  }

  #one<T>(from: readonly T[]): T {
    return from[this.#pick(from.length)]!
  }

  /** Mulberry32. */
  #pick(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
}

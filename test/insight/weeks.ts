import type { RecordedAsk, RecordedQuestion, RecordedTool } from '../../src/platform/store/recording.ts'
import { picker } from '../property/random.ts'

/** Weeks of asks, tools and permission questions as teams would make them, with patterns hidden in the noise. */
export interface Weeks {
  readonly asks: readonly RecordedAsk[]
  readonly tools: readonly RecordedTool[]
  readonly questions: readonly RecordedQuestion[]
  readonly planted: {
    /** The question of a turn that is asked repeatedly; other turns are in no question. */
    readonly questionOf: ReadonlyMap<string, number>
    /** "a → b → c", "a → b", "team tool". */
    readonly chains: readonly string[]
    readonly failing: readonly string[]
    readonly slowTools: readonly string[]
    readonly alwaysAllowed: readonly string[]
    /** Hours of the day. */
    readonly peaks: readonly number[]
  }
}

const teams = ['frontend', 'backend', 'mobile', 'billing', 'search', 'infra', 'data']
const objects = [
  'orders',
  'invoice',
  'login',
  'session',
  'payment',
  'refund',
  'webhook',
  'cart',
  'profile',
  'coupon',
  'ledger',
  'tax',
  'shipping',
  'catalog',
  'review',
  'avatar',
  'notification',
  'email',
  'export',
  'import',
  'report',
  'audit',
  'quota',
]
const parts = ['endpoint', 'schema', 'table', 'migration', 'fixture', 'component', 'cache', 'queue', 'worker', 'config']
const matters = [
  'timeout',
  'error code',
  'retry policy',
  'default value',
  'owner',
  'rate limit',
  'index',
  'unit test',
  'type',
]
/** Each a way to say one thing about an object and its part. */
const wordings: readonly (readonly ((object: string, part: string, matter: string) => string)[])[] = [
  [
    (object, part) => `Where is the ${object} ${part} defined?`,
    (object, part) => `Which file defines the ${object} ${part}?`,
    (object, part) => `Please tell me where the ${object} ${part} is defined.`,
  ],
  [
    (object, part, matter) => `What is the ${matter} of the ${object} ${part}?`,
    (object, part, matter) => `Can you look up the ${matter} for our ${object} ${part}, please?`,
    (object, part, matter) => `${object} ${part}: what ${matter} does it have`,
  ],
  [
    (object, part, matter) => `How do I change the ${matter} in the ${object} ${part}?`,
    (object, part, matter) => `I need to change the ${matter} of the ${object} ${part}. How?`,
    (object, part, matter) => `Changing the ${matter} of the ${object} ${part}: how is that done?`,
  ],
]
const noise = [
  'urgent',
  'flaky',
  'legacy',
  'nightly',
  'german',
  'staging',
  'deprecated',
  'nested',
  'partial',
  'second',
  'rounding',
  'timezone',
  'currency',
  'unicode',
  'mobile',
  'admin',
  'beta',
  'archived',
  'concurrent',
  'idle',
  'duplicate',
  'stale',
]
const verbs = [
  'explain',
  'review',
  'benchmark',
  'rename',
  'document',
  'reproduce',
  'simplify',
  'trace',
  'compare',
  'estimate',
]
const commands = [
  'npm test',
  'cargo build',
  'make lint',
  'git status',
  'ls src',
  'go vet',
  'pnpm install',
  'terraform plan',
]
const dayMs = 86_400_000
const hourMs = 3_600_000

/** Three weeks; the same seed makes the same ones. */
export function makeWeeks(seed: number): Weeks {
  const maker = new Maker(seed)
  maker.noise()
  const questionOf = maker.repeated()
  const chains = maker.chains()
  const failing = maker.failing(chains)
  const peaks = [maker.peak()]
  const asks = maker.asks.toSorted((a, b) => a.acceptedAt - b.acceptedAt)
  const { tools, slowTools } = maker.tools(asks)
  const { questions, alwaysAllowed } = maker.questions(asks)
  return { asks, tools, questions, planted: { questionOf, chains, failing, peaks, slowTools, alwaysAllowed } }
}

class Maker {
  readonly asks: RecordedAsk[] = []
  readonly #pick: (count: number) => number
  readonly #begin = 1_790_000_000_000 - (1_790_000_000_000 % dayMs)

  constructor(seed: number) {
    this.#pick = picker(seed)
  }

  /** Each message about something else; now and then one that fails or asks further. */
  noise(): void {
    for (let n = 0; n < 900; n++) {
      const isFailure = this.#pick(25) === 0
      const end = isFailure ? { outcome: 'failed' as const, reason: this.#one(['hung', 'internal']) } : {}
      const ask = this.#add({ ...this.#pair(), message: this.#unlike(), ...end })
      if (this.#pick(12) === 0) this.#further(ask, this.#one(teams.filter((team) => team !== ask.to)))
    }
  }

  /** Up to eight questions, each in several wordings, and beside each of them other questions about the same thing. */
  repeated(): ReadonlyMap<string, number> {
    const questionOf = new Map<string, number>()
    const asked = new Set<string>()
    for (let question = 0; question < 8; question++) {
      const [object, part, ways, to] = [this.#one(objects), this.#one(parts), this.#one(wordings), this.#one(teams)]
      const matter = this.#one(matters)
      // Two questions about the same object and part would be hard to tell apart for a person as well.
      if (asked.has(`${object} ${part}`)) continue
      asked.add(`${object} ${part}`)
      const from = (): string => this.#one(teams.filter((team) => team !== to))
      for (let n = 3 + this.#pick(6); n > 0; n--) {
        questionOf.set(this.#add({ from: from(), to, message: this.#one(ways)(object, part, matter) }).id, question)
      }
      for (const others of wordings.filter((each) => each !== ways)) {
        this.#add({ from: from(), to, message: this.#one(others)(object, part, this.#one(matters)) })
      }
    }
    return questionOf
  }

  chains(): readonly string[] {
    return [0, 1, 2].map(() => {
      const { from, to } = this.#pair()
      const next = this.#one(teams.filter((team) => team !== to && team !== from))
      // Often enough beside the noise of the pair.
      for (let times = 30 + this.#pick(20); times > 0; times--) {
        const first = this.#add({ from, to, message: this.#unlike() })
        if (this.#pick(10) > 0) this.#further(first, next)
      }
      return `${from} → ${to} → ${next}`
    })
  }

  failing(chains: readonly string[]): readonly string[] {
    // A pair that often succeeds elsewhere would not be a failing one.
    const pairs = chains.map((chain) => chain.split(' → ')).flatMap(([a, b, c]) => [`${a} → ${b}`, `${b} → ${c}`])
    const failing = new Set<string>()
    while (failing.size < 2) {
      const { from, to } = this.#pair()
      if (pairs.includes(`${from} → ${to}`)) continue
      failing.add(`${from} → ${to}`)
      for (let times = 40; times > 0; times--) {
        const end = this.#pick(10) < 7 ? { outcome: 'failed' as const, reason: 'hung' } : {}
        this.#add({ from, to, message: this.#unlike(), ...end })
      }
    }
    return [...failing]
  }

  /** Returns the hour of the day. */
  peak(): number {
    const hour = this.#pick(24)
    for (let n = 0; n < 300; n++) {
      this.#add({ ...this.#pair(), message: this.#unlike(), acceptedAt: this.#moment(hour) })
    }
    return hour
  }

  tools(asks: readonly RecordedAsk[]): {
    readonly tools: readonly RecordedTool[]
    readonly slowTools: readonly string[]
  } {
    const slowTools = this.#twoOf()
    const tools = Array.from({ length: 2000 }, () => {
      const [team, command] = [this.#one(teams), this.#one(commands)]
      // A quick tool is slow once in fifty times.
      const isSlow = slowTools.includes(`${team} Bash ${command}`) || this.#pick(50) === 0
      const took = isSlow ? 30_000 + this.#pick(90_000) : this.#pick(4000)
      return { turn: this.#one(asks).id, team, name: 'Bash', input: `${command} --flag ${this.#pick(100)}`, took }
    })
    return { tools, slowTools }
  }

  questions(asks: readonly RecordedAsk[]): {
    readonly questions: readonly RecordedQuestion[]
    readonly alwaysAllowed: readonly string[]
  } {
    const alwaysAllowed = this.#twoOf()
    const questions = Array.from({ length: 1500 }, (_, n) => {
      const [team, command] = [this.#one(teams), this.#one(commands)]
      const allowed = alwaysAllowed.includes(`${team} Bash ${command}`) || this.#pick(3) > 0
      const input = JSON.stringify({ command: `${command} --flag ${this.#pick(100)}` })
      const rules = [{ toolName: 'Bash', ruleContent: `${command}:*` }]
      const suggestions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]
      return { id: `question-${n}`, turn: this.#one(asks).id, team, tool: 'Bash', input, suggestions, allowed }
    })
    return { questions, alwaysAllowed }
  }

  #twoOf(): readonly string[] {
    return [...new Set([0, 1].map(() => `${this.#one(teams)} Bash ${this.#one(commands)}`))]
  }

  #add(ask: Pick<RecordedAsk, 'from' | 'to' | 'message'> & Partial<RecordedAsk>): RecordedAsk {
    const id = `turn-${this.asks.length}`
    const whole = { id, parent: null, outcome: 'completed' as const, reason: null, acceptedAt: this.#moment(), ...ask }
    this.asks.push(whole)
    return whole
  }

  #further({ id, to: from, acceptedAt }: RecordedAsk, to: string): void {
    this.#add({ from, to, message: this.#unlike(), parent: id, acceptedAt: acceptedAt + 1000 })
  }

  /** A message unlike any other. */
  #unlike(): string {
    const about = `${this.#one(noise)} ${this.#one(objects)} ${this.#one(parts)}`
    return `${this.#one(verbs)} the ${about} with ${this.#one(noise)} ${this.#one(matters)} ${this.#pick(10_000)}`
  }

  #pair(): { readonly from: string; readonly to: string } {
    const from = this.#one(teams)
    return { from, to: this.#one(teams.filter((team) => team !== from)) }
  }

  #moment(hour = this.#pick(24)): number {
    return this.#begin + this.#pick(21) * dayMs + hour * hourMs + this.#pick(hourMs)
  }

  #one<T>(from: readonly T[]): T {
    return from[this.#pick(from.length)]!
  }
}

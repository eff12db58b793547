import fc from 'fast-check'
import type { ModelAnswer, ModelBlock, ModelReply } from '../../src/app/demo/script.ts'

/** What the model does before its last message. */
const steps = [
  'says and acts',
  'acts and says',
  'lists',
  'is cut',
  'is cut late',
  'breaks',
  'breaks late',
  'acts cut',
] as const
/** Its last message. */
const ends = [
  'a pause',
  'two pauses',
  'a hook',
  'a hook and a tool',
  'one block',
  'blocks',
  'a thought last',
  'a thought between',
  'a stop sequence',
  'nothing',
  'a refusal of the API',
] as const
type Step = (typeof steps)[number]
type End = (typeof ends)[number]

export interface Plan {
  readonly steps: readonly Step[]
  readonly end: End
  /** Who is killed while the model is asked, and at which request. */
  readonly kill: { readonly who: 'claude' | 'daemon' | 'nobody'; readonly at: number }
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.constantFrom(...steps), { maxLength: 4 }).map(possible),
  end: fc.constantFrom(...ends),
  kill: fc.record({
    who: fc.oneof(
      { weight: 8, arbitrary: fc.constant('nobody' as const) },
      fc.constantFrom('claude' as const, 'daemon' as const),
    ),
    at: fc.integer({ min: 0, max: 3 }),
  }),
})

/**
 * Nobody knows whether a hook, or a pause, was seen by the daemon that is killed at that moment. A hook also sees the end of a
 * reply that is cut and not streamed, where the older version ends the turn.
 */
export const plan = anyPlan.map(({ steps, end, kill }): Plan => {
  if (!end.startsWith('a hook'))
    return { steps, kill, end: kill.who === 'daemon' && /pause/.test(end) ? 'one block' : end }
  return { steps: steps.filter((step) => step !== 'breaks'), end: kill.who === 'daemon' ? 'one block' : end, kill }
})

/** Claude Code asks for the rest three times at most, and asks again for a broken reply without a stream. */
function possible(given: readonly Step[]): Step[] {
  const kept: Step[] = []
  for (const step of given) {
    const cuts = kept.filter((each) => each.startsWith('is cut') || each === 'breaks late').length
    const mayCut = !(step.startsWith('is cut') || step === 'breaks late') || cuts < 2
    if (mayCut && !(kept.at(-1) === 'breaks' && step.startsWith('breaks'))) kept.push(step)
  }
  if (kept.at(-1) === 'breaks') kept.pop()
  return kept
}

export const versions = { backend: '2.1.330', backendOlder: '2.1.197' } as const
export type Team = keyof typeof versions

/** What the asker must get: built from what the model was scripted to say, never from what Claude Code printed. */
interface Expected {
  readonly status: 'completed' | 'failed'
  /** One of these. */
  readonly texts: readonly string[]
}

/** Plays one plan, request by request, and keeps what the agent has said. */
export class Play {
  readonly #plan: Plan
  readonly #name: string
  readonly team: Team
  #next = 0
  #blocks = 0
  /** Said before the delivery that counts. */
  readonly #before: string[] = []
  #segments: string[] = ['']
  #isCut = false
  hasEnded = false
  #pauses = 0
  #stops = 0
  /** What was whole when the hook blocked. */
  #kept: { readonly segment: number; readonly text: string } | undefined
  isKilled = false
  /** Who really was. */
  wasKilled: Plan['kill']['who'] = 'nobody'
  #failed = false

  constructor(plan: Plan, name: string, team: Team) {
    this.#plan = plan
    this.#name = name
    this.team = team
  }

  get expected(): Expected {
    const said = this.#segments.filter((text) => text !== '')
    const kept = this.#kept
    const before = kept !== undefined && kept.segment < this.#segments.length ? [kept.text] : []
    if (!this.#failed) return { status: 'completed', texts: [[...before, ...said.slice(-1)].join('\n\n')] }
    // A message that is sent again from the beginning has said nothing before.
    const whole = [...this.#before, ...said].join('\n\n')
    return { status: 'failed', texts: [said.join('\n\n'), whole] }
  }

  /** Whoever is to be killed now, once. */
  victim(): Plan['kill']['who'] {
    const { who, at } = this.#plan.kill
    if (this.isKilled || this.#next !== Math.min(at, this.#plan.steps.length)) return 'nobody'
    this.isKilled = true
    return who
  }

  /** The conversation continues in another process, which begins its own delivery. */
  beginsAgain(): void {
    this.#before.push(...this.#segments.filter((text) => text !== ''))
    this.#segments = ['']
    this.#kept = undefined
    this.#isCut = false
    // A failure that no daemon has seen is none.
    this.#failed = false
  }

  reply(isStreamed: boolean): ModelReply {
    const step = this.#plan.steps[this.#next]
    this.#next += 1
    if (step === undefined) return this.#end()
    const act = this.#act()
    if (step === 'says and acts') return this.#acts([this.#say(), act])
    if (step === 'acts and says') return this.#acts([act, this.#say()])
    if (step === 'acts cut') return { ...this.#acts([this.#say(), act]), stopReason: 'max_tokens' }
    if (step === 'lists') return { blocks: [this.#say(), { toolUse: { name: 'TodoWrite', input: { todos: [] } } }] }
    if (step === 'breaks' && isStreamed) return { text: 'Half of', breaks: 'error' }
    if (step === 'breaks late' && isStreamed) return this.#breaksLate()
    const reply: ModelAnswer = {
      blocks: [this.#say(), ...(step === 'is cut late' ? [this.#adds()] : [])],
      stopReason: 'max_tokens',
    }
    this.#isCut = true
    // The older version does not continue with a reply that was not streamed.
    if (!isStreamed && versions[this.team] === '2.1.197') this.#fails()
    return reply
  }

  #act(): ModelBlock {
    return { toolUse: { name: 'Bash', input: { command: 'true' } } }
  }

  #acts(blocks: ModelBlock[]): ModelAnswer {
    this.#segments.push('')
    return { blocks }
  }

  /** Without its own text for that, the older version ends the turn. */
  #breaksLate(): ModelAnswer {
    const blocks = [this.#say(), { text: 'Half of' }]
    this.#isCut = true
    if (versions[this.team] === '2.1.197') this.#fails()
    return { blocks, breaks: 'error' }
  }

  #end(): ModelReply {
    const { end } = this.#plan
    const thought: ModelBlock = { thinking: 'hm' }
    // Claude Code asks once more after nothing.
    if (end === 'nothing') {
      this.hasEnded = true
      return { blocks: [thought] }
    }
    if (end === 'a refusal of the API') {
      this.#fails()
      return { error: { status: 400, type: 'invalid_request_error', message: 'nope' } }
    }
    if (end.endsWith('pause') || end === 'two pauses') return this.#pause()
    if (end.startsWith('a hook')) return this.#hooked()
    this.hasEnded = true
    if (end === 'blocks') return { blocks: [this.#say(), this.#adds(), this.#adds()] }
    if (end === 'a thought last') return { blocks: [this.#say(), thought] }
    if (end === 'a thought between') {
      const first = this.#say()
      this.#isCut = false
      return { blocks: [first, thought, this.#say()] }
    }
    return { blocks: [this.#say()], ...(end === 'a stop sequence' && { stopReason: 'stop_sequence' }) }
  }

  /** Iris asks once for the rest of a paused reply, which the next message continues with. */
  #pause(): ModelAnswer {
    this.#pauses += 1
    const mayPause = this.#pauses <= (this.#plan.end === 'a pause' ? 1 : 2)
    const block = this.#say()
    // After a cut, the older version asks for the rest of a paused reply itself.
    if (!mayPause) this.#failed = false
    if (!mayPause) return { blocks: [block] }
    this.#isCut = true
    if (this.#pauses === 2) this.#fails()
    return { blocks: [block], stopReason: 'pause_turn' }
  }

  /** A Stop hook of the project blocks the first end. What was whole then stays. */
  #hooked(): ModelAnswer {
    this.#stops += 1
    if (this.#stops === 2 && this.#plan.end === 'a hook and a tool') {
      const blocks = [this.#say(), this.#act()]
      this.#segments.push('')
      return { blocks }
    }
    const block = this.#say()
    if (this.#stops === 1) this.#kept = { segment: this.#segments.length, text: this.#segments.at(-1)! }
    return { blocks: [block] }
  }

  #fails(): void {
    this.#failed = true
    this.hasEnded = true
  }

  /** A block that stands alone, or continues with a message that was cut. */
  #say(): ModelBlock {
    const before = this.#segments.pop()!
    const text = this.#word()
    this.#segments.push(before === '' || this.#isCut ? before + text : `${before}\n\n${text}`)
    this.#isCut = false
    return { text }
  }

  /** A block right behind another one. */
  #adds(): ModelBlock {
    const text = this.#word()
    this.#segments.push(`${this.#segments.pop()}${text}`)
    return { text }
  }

  #word(): string {
    this.#blocks += 1
    return `${this.#name} says ${this.#blocks}.`
  }
}

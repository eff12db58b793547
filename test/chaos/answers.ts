import { readlinkSync } from 'node:fs'
import fc from 'fast-check'
import type { ModelAnswer, ModelBlock, ModelReply, Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { processesOf } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { createWorld } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

const turnsARound = 10

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

interface Plan {
  readonly steps: readonly Step[]
  readonly end: End
  /** Who is killed while the model is asked, and at which request. */
  readonly kill: { readonly who: 'claude' | 'daemon' | 'nobody'; readonly at: number }
}

const plan: fc.Arbitrary<Plan> = fc.record({
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
const round = fc.array(plan, { minLength: turnsARound, maxLength: turnsARound })

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

const versions = { backend: '2.1.330', backendOlder: '2.1.197' } as const
type Team = keyof typeof versions

/** What the asker must get: built from what the model was scripted to say, never from what Claude Code printed. */
interface Expected {
  readonly status: 'completed' | 'failed'
  /** One of these. */
  readonly texts: readonly string[]
}

/** Plays one plan, request by request, and keeps what the agent has said. */
class Play {
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
    if (!this.#failed) return { status: 'completed', texts: [said.at(-1) ?? ''] }
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

  /** The conversation goes on in another process, which begins a delivery of its own. */
  beginsAgain(): void {
    this.#before.push(...this.#segments.filter((text) => text !== ''))
    this.#segments = ['']
    this.#isCut = false
  }

  reply(isStreamed: boolean): ModelReply {
    const step = this.#plan.steps[this.#next]
    this.#next += 1
    if (step === undefined) return this.#end()
    const act: ModelBlock = { toolUse: { name: 'Bash', input: { command: 'true' } } }
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
    return reply
  }

  #acts(blocks: ModelBlock[]): ModelAnswer {
    this.#segments.push('')
    return { blocks }
  }

  /** Without a text of its own for that, the older version ends the turn. */
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

  #fails(): void {
    this.#failed = true
    this.hasEnded = true
  }

  /** A block that stands alone, or goes on with a message that was cut. */
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

/** Scripted replies in random order to the real Claude Code, which is killed now and then, and so is the daemon. */
export async function answers(): Promise<Chaos> {
  let play: Play | undefined
  let daemonDies: Promise<void> | undefined
  const script: Script = async ({ body, conversation }) => {
    const current = play
    if (current === undefined) return { text: 'nobody asked' }
    if (conversation.lastUserText.includes('<iris-continuation>') && !began.has(current)) {
      began.add(current)
      current.beginsAgain()
    }
    const victim = current.victim()
    if (victim === 'claude' && mayDie(deaths[current.team])) {
      current.wasKilled = victim
      current.beginsAgain()
      killClaude(world.root, world.directory(current.team))
      return { stall: 'silent' }
    }
    if (victim === 'daemon') {
      current.wasKilled = victim
      await killDaemon()
    }
    return current.reply(body.stream === true)
  }
  const began = new WeakSet<Play>()
  const deaths: Record<Team, number[]> = { backend: [], backendOlder: [] }
  const open = { grantPermission: 'yes', dangerous: true }
  const teams = { frontend: {}, backend: open, backendOlder: { ...open, claudePath: claudeBinary('2.1.197') } }
  const world = await createWorld({ script, teams })
  let daemon = await DaemonProcess.start(world)
  async function killDaemon(): Promise<void> {
    daemonDies = (async () => {
      await daemon.kill()
      daemon = await DaemonProcess.start(world)
    })()
    await daemonDies
  }

  async function asked(team: Team, name: string): ReturnType<typeof ask> {
    for (;;) {
      try {
        return await ask(daemon, team, name, { fromTeam: 'frontend', idempotencyKey: name, timeout: 0 })
      } catch (error) {
        if (daemonDies === undefined) throw error
        await daemonDies
      }
    }
  }

  return {
    async round(seed) {
      const counts: Record<string, number> = {}
      const count = (what: string): void => {
        counts[what] = (counts[what] ?? 0) + 1
      }
      for (const [index, each] of fc.sample(round, { seed, numRuns: 1 })[0]!.entries()) {
        const team: Team = index % 2 === 0 ? 'backend' : 'backendOlder'
        const name = `T${seed}-${index}`
        play = new Play(each, name, team)
        daemonDies = undefined
        const answer = await asked(team, name)
        count('turns')
        count(answer.status)
        if (play.wasKilled !== 'nobody') count(`kills of the ${play.wasKilled}`)
        const { status, texts } = play.expected
        const got = answer.response ?? answer.partialResponse ?? ''
        if (answer.status !== status || !texts.includes(got))
          throw new Error(JSON.stringify({ plan: each, team, expected: { status, texts }, answer }, undefined, 1))
        play = undefined
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** Five deaths in a minute open the breaker of a team. */
function mayDie(deaths: number[]): boolean {
  const now = performance.now()
  if (deaths.filter((at) => now - at < 60_000).length >= 3) return false
  deaths.push(now)
  return true
}

function killClaude(root: string, directory: string): void {
  for (const pid of processesOf(root)) {
    try {
      const isClaude = readlinkSync(`/proc/${pid}/exe`).endsWith('/claude')
      if (isClaude && readlinkSync(`/proc/${pid}/cwd`) === directory) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone in between.
    }
  }
}

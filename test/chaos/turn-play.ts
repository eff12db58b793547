import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { killClaude } from '../support/kill-claude.ts'
import { type ClaudeVersion, claudeBinary } from '../support/real-claude.ts'
import { createWorld, type World } from '../support/world.ts'
import { TurnModel, type Work, works } from './turn-model.ts'
import { type Answered, faultsIn } from './turn-oracle.ts'
import { turnRows } from './turn-rows.ts'

const nth = fc.nat(20)
const plan = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('tool' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...works.slice(1, 4)) },
    { weight: 1, arbitrary: fc.constantFrom(...works.slice(4)) },
  ),
  { maxLength: 3 },
)

/** What may happen, and how often beside the others. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), plan }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('steer' as const), plan }) },
  /** A command ends, or the model continues. */
  { weight: 8, arbitrary: fc.record({ do: fc.constant('open' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), force: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill claude' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill daemon' as const) }) },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

const schedule = fc.array(
  fc.record({ event, afterMs: fc.oneof(fc.constantFrom(0, 0, 30, 120), fc.integer({ min: 200, max: 1200 })) }),
  { minLength: 12, maxLength: 18 },
)

/** How long nothing may have happened before all is said. Longer than Iris waits for a report between two lines. */
const quietMs = 1500
const maxMs = 45_000
/** A message that is under way while the daemon is killed is sent again so often. */
const maxTries = 20

/** One Iris with the real Claude Code, in which random things happen to one conversation after the other. */
export class TurnPlay implements AsyncDisposable {
  readonly #world: World
  readonly #model: TurnModel
  readonly #gates: string
  #daemon: DaemonProcess
  #restarted = Promise.resolve()
  #tokens = 0

  static async start(version: ClaudeVersion): Promise<TurnPlay> {
    const model = new TurnModel()
    const world = await createWorld({
      script: model.script,
      teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
      settings: { claudePath: claudeBinary(version) },
    })
    const gates = join(world.root, 'gates')
    model.standsIn(gates)
    deferOnce(world)
    return new TurnPlay(world, model, gates, await DaemonProcess.start(world))
  }

  private constructor(world: World, model: TurnModel, gates: string, daemon: DaemonProcess) {
    this.#world = world
    this.#model = model
    this.#gates = gates
    this.#daemon = daemon
  }

  /** Plays what the seed says in its own conversation; returns how often what happened, and throws with what broke. */
  async round(seed: number): Promise<Record<string, number>> {
    mkdirSync(this.#gates, { recursive: true })
    const counts: Record<string, number> = {}
    const thread = `s${seed}`
    const story: string[] = []
    const answers: Promise<Answered>[] = []
    const disturbedAt: number[] = []
    const [events] = fc.sample(schedule, { seed, numRuns: 1 })
    const began = performance.now()
    const [firstCall, firstEffect] = [this.#model.calls.length, this.#model.effects.length]
    for (const { event, afterMs } of events!) {
      const token = await this.#happen(event, thread, answers)
      const note = [Math.round(performance.now() - began), event.do, token, 'plan' in event && event.plan.join(' ')]
      story.push(note.filter((each) => each !== false && each !== undefined).join(' '))
      counts[event.do] = (counts[event.do] ?? 0) + 1
      if (!['ask', 'steer', 'open'].includes(event.do)) disturbedAt.push(performance.now())
      await delay(afterMs)
    }
    this.#openAll(true)
    story.push(`${Math.round(performance.now() - began)} all gates open`)
    const answered = await within(Promise.all(answers), () => new Error([...story, 'not all are answered'].join('\n')))
    await this.#quiet()
    const last = await this.#asked('ask', [], thread)
    await this.#quiet()
    this.#openAll(false)
    const calls = this.#model.calls.slice(firstCall)
    const effects = this.#model.effects.slice(firstEffect)
    const played = { answered: [...answered, last], calls, works: this.#model.works, effects, disturbedAt }
    const rows = turnRows(this.#world.home, thread)
    const faults = faultsIn(played, rows)
    for (const { status } of played.answered) counts[status] = (counts[status] ?? 0) + 1
    counts['turns'] = rows.turns.length
    counts['reports'] = rows.reports.length
    if (faults.length === 0) return counts
    const told = calls.map(
      ({ at, final, use, messages, reports, seen }) =>
        [Math.round(at - began), 'model:', ...messages, ...reports, `→ ${final ?? use}`].join(' ') + `\n${seen}`,
    )
    throw new Error([...faults, ...story, ...told, JSON.stringify(rows, null, 1)].join('\n'))
  }

  async #happen(event: Event, thread: string, answers: Promise<Answered>[]): Promise<string | undefined> {
    switch (event.do) {
      case 'ask':
      case 'steer':
        answers.push(this.#asked(event.do, event.plan, thread))
        return `t${this.#tokens}`
      case 'open': {
        const gates = [...this.#model.reached]
        const gate = gates[event.nth % gates.length]
        if (gate !== undefined) this.#open(gate)
        return gate
      }
      case 'cancel': {
        const living = turnRows(this.#world.home, thread).turns.filter(({ state }) => state !== 'settled')
        const turn = living[event.nth % living.length]
        if (turn !== undefined) await this.#call('session_cancel', { turnId: turn.id })
        return turn?.token
      }
      case 'sleep':
        await this.#call('team_sleep', { team: 'backend', fromTeam: 'frontend', thread, force: event.force })
        return event.force ? 'force' : undefined
      case 'kill claude':
        killClaude(this.#world.root)
        return undefined
      case 'kill daemon':
        this.#restarted = this.#restart()
        await this.#restarted
        return undefined
    }
  }

  /** Asks until there is an answer: a killed daemon has the message, or takes it again under its key. */
  async #asked(how: 'ask' | 'steer', plan: readonly Work[], thread: string): Promise<Answered> {
    this.#tokens += 1
    const token = `t${this.#tokens}`
    this.#model.works.set(token, plan)
    const more = how === 'steer' ? { whenBusy: 'steer' } : {}
    const message = [token, ...plan].join(' ')
    for (let tries = 1; ; tries += 1) {
      await this.#restarted
      const daemon = this.#daemon
      try {
        const of = { fromTeam: 'frontend', thread, idempotencyKey: token }
        const result = await ask(daemon, 'backend', message, { ...of, ...more })
        if (result.status !== 'completed') this.#model.over.add(token)
        return { token, ...result } satisfies TurnResult & { token: string }
      } catch (error) {
        if (tries === maxTries) throw error
        await delay(100)
      }
    }
  }

  async #restart(): Promise<void> {
    await this.#daemon.kill()
    this.#daemon = await DaemonProcess.start(this.#world)
  }

  async #call(name: string, args: object): Promise<void> {
    await this.#restarted
    await callTool(this.#daemon, name, args)
  }

  #open(gate: string): void {
    this.#model.open(gate)
    writeFileSync(join(this.#gates, gate), '')
  }

  #openAll(isOpen: boolean): void {
    this.#model.openAll(isOpen)
    if (isOpen) writeFileSync(join(this.#gates, 'all'), '')
  }

  /** Resolves when the model has been asked nothing for a while. */
  async #quiet(): Promise<void> {
    const late = performance.now() + maxMs
    for (let calls = -1; calls !== this.#model.calls.length && performance.now() < late; await delay(quietMs))
      calls = this.#model.calls.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
  }
}

/** A hook of the project that puts each command with "defer-me" off, the first time. */
function deferOnce(world: World): void {
  const hook = join(world.root, 'defer.sh')
  const decision = { hookEventName: 'PreToolUse', permissionDecision: 'defer', permissionDecisionReason: 'later' }
  const text = [
    '#!/bin/sh',
    `step=$(sed -n 's/.*defer-me \\(t[0-9]*.[0-9]*\\).*/\\1/p')`,
    `[ -n "$step" ] && mkdir "$0-$step" 2>/dev/null && printf '%s' '${JSON.stringify({ hookSpecificOutput: decision })}'`,
    'exit 0',
  ]
  writeFileSync(hook, text.join('\n'))
  chmodSync(hook, 0o755)
  const settings = join(world.directory('backend'), '.claude')
  mkdirSync(settings, { recursive: true })
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: hook }] }] }
  writeFileSync(join(settings, 'settings.json'), JSON.stringify({ hooks }))
}

function within<T>(promise: Promise<T>, late: () => Error): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), maxMs)
  return Promise.race([promise, isLate]).finally(() => clearTimeout(timer))
}

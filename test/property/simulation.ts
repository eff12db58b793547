import { IrisError } from '../../src/base/protocol/error.ts'
import type { Pair } from '../../src/base/protocol/pair.ts'
import type { OperationName } from '../../src/features/contracts.ts'
import type { Call } from '../../src/kernel/call/call.ts'
import { aProgram } from '../../src/kernel/call/principal.ts'
import type { Checkpoint } from '../../src/kernel/recover/parts.ts'
import type { Config, SettingsConfig } from '../../src/platform/config/config.ts'
import type { OracleEntry } from '../fake-claude/oracle-event.ts'
import { AgentMind } from './agent.ts'
import { DaemonLife, underWayIn } from './daemon-life.ts'
import { Machine, type Orphaning } from './machine.ts'
import { messageOf, type Plan, type Question } from './question.ts'
import { idMaker, picker } from './random.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { isOf, type SimulationOptions, type Told, wrongInLog } from './simulation-options.ts'
import { Life, Time } from './time.ts'

/** Iris, its callers and its processes in virtual time. Notes what is wrong the moment it happens. */
export class Simulation {
  readonly time: Time
  readonly machine: Machine
  readonly mind: AgentMind
  readonly questions = new Map<string, Question>()
  readonly told: Told[] = []
  readonly broken: string[] = []
  /** Turns that someone cancelled. */
  readonly cancelled = new Set<string>()
  /** Turns that lost a process or their daemon while they were open; and those whose end a power cut took, with whether they had used tools. */
  readonly interrupted = new Set<string>()
  readonly takenBack = new Map<string, boolean>()
  /** Transcripts that someone deleted, and sessions whose process was killed. */
  readonly damaged = new Set<string>()
  /** Someone wished that nothing be left of conversations that are not used. */
  deletesUnused = false
  /** The store took nothing for a while. */
  hadFullDisk = false
  readonly #options: SimulationOptions
  readonly #newId = idMaker(1)
  readonly #random: () => number
  #settings: Partial<SettingsConfig>
  #leftOut: ReadonlySet<string> | undefined
  #daemon: DaemonLife | undefined
  readonly #formerLives: DaemonLife[] = []
  #store: string
  #crashAt: { checkpoint: Checkpoint | 'traffic'; count: number; how: Orphaning; downMs: number } | undefined
  readonly #outside = new Life()

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#settings = options.settings
    this.#leftOut = options.leftOut
    this.#store = options.base.newStore()
    const pick = picker(options.seed)
    this.time = new Time(pick)
    this.#random = () => pick(2 ** 20) / 2 ** 20
    this.mind = new AgentMind({
      questions: this.questions,
      messageOfTurn: (id) => this.ledger?.messageOf(id),
      broken: (what) => this.broken.push(what),
      onTold: (question, { result, code }) => {
        if (this.#daemon === undefined) return
        const refusal = code === undefined ? {} : { refusal: { code, message: 'told to an agent' } }
        const common = { question, name: 'send_message' as const, input: {}, hangUp: () => {} }
        this.told.push({ ...common, daemon: this.#daemon.life, ...(result && { result }), ...refusal })
      },
    })
    this.machine = new Machine({
      time: this.time,
      mind: this.mind,
      flushDelayMs: options.flushDelayMs,
      contextWindow: options.contextWindow,
      onTraffic: () => this.#reached('traffic'),
      onEvent: (entry, process) => this.#noted(entry, process),
      onDying: ({ sessionId }) => this.disturbed(sessionId),
    })
    this.start()
  }

  get daemon(): DaemonLife | undefined {
    return this.#daemon
  }

  /** The store of the daemon that lives, or of the last one. */
  get ledger(): DaemonLife['ledger'] | undefined {
    return (this.#daemon ?? this.#formerLives.at(-1))?.ledger
  }

  get config(): Config {
    const { config } = this.#options.base
    return {
      ...config,
      settings: { ...config.settings, ...this.#settings },
      database: { path: this.#store },
    }
  }

  /** A conversation fills its model's window before long. */
  get isNarrow(): boolean {
    return this.#options.contextWindow < 10_000
  }

  /** Where Claude Code's own files are. */
  get home(): string {
    return this.#options.base.env['HOME'] ?? ''
  }

  /** Something was done to a session that it may be seen to have suffered from. */
  disturbed(sessionId: string): void {
    this.damaged.add(sessionId)
    for (const turn of this.ledger?.underWay() ?? []) if (turn.sessionId === sessionId) this.interrupted.add(turn.id)
  }

  /** Someone cancels what a pair works on and what waits in it, and may start its conversation over. */
  cancelAll(pair: Pair): void {
    for (const turn of this.ledger?.underWay() ?? []) if (isOf(turn, pair)) this.cancelled.add(turn.id)
  }

  /** What a pair says now may be gone from its memory. */
  forgotten(pair: Pair): void {
    const session = this.#daemon?.parts.sessionRegistry.openLive(pair)
    if (session) this.damaged.add(session.sessionId)
  }

  /** From the next start on Iris is composed without these features. */
  leaveOut(names: ReadonlySet<string>): void {
    this.#leftOut = names
  }

  edit(settings: Partial<SettingsConfig>): void {
    this.#settings = { ...this.#settings, ...settings }
    if (settings.deleteArchivedFiles) this.deletesUnused = true
  }

  start(): void {
    if (this.#daemon) return
    const { time, machine, config } = this
    this.#daemon = new DaemonLife({
      time,
      machine,
      config,
      env: this.#options.base.env,
      newId: this.#newId,
      random: this.#random,
      leftOut: this.#leftOut,
      at: (checkpoint) => this.#reached(checkpoint),
      onError: (message) => {
        if (wrongInLog(this.hadFullDisk).test(message)) this.broken.push(`log: ${message}`)
      },
    })
  }

  crash(how: Orphaning, downMs: number): void {
    const daemon = this.#leave()
    if (daemon === undefined) return
    this.#store = this.#options.base.newStore()
    daemon.crash(this.#store, how === 'power cut')
    this.machine.orphan(daemon.life, how)
    for (const { id, sessionId, usedTools } of underWayIn(this.#store)) {
      if (!this.interrupted.has(id)) this.takenBack.set(id, usedTools === 1)
      this.interrupted.add(id)
      this.damaged.add(sessionId)
    }
    this.time.clock(this.#outside).after(downMs, () => this.start())
  }

  async restart(graceMs: number): Promise<void> {
    const daemon = this.#daemon
    if (daemon === undefined) return
    for (const { id } of daemon.ledger.underWay()) this.interrupted.add(id)
    let hasStopped = false
    void daemon.stop(graceMs).then(() => {
      hasStopped = true
    })
    const inTime = await this.time.pass(graceMs + 60_000, () => hasStopped || this.#daemon !== daemon)
    if (this.#daemon !== daemon) return
    if (!inTime) this.broken.push('the daemon does not stop')
    this.#hasStopped(daemon)
    this.#leave()
    this.start()
  }

  /** Crashes when that is reached the `count`-th time from now; `traffic`: something goes through a pipe. */
  crashAt(checkpoint: Checkpoint | 'traffic', count: number, how: Orphaning, downMs: number): void {
    this.#crashAt = { checkpoint, count, how, downMs }
  }

  /** A question and those in its plan, each with its own id. */
  pose(plan: Plan, from: string, to: string, thread: string, parent?: Question): Question {
    const id = `q${this.questions.size + 1}`
    const children = new Map<number, Question>()
    const question: Question = { id, plan, from, to, thread, parent, children }
    this.questions.set(id, question)
    plan.steps.forEach((step, index) => {
      if (step.do === 'ask') children.set(index, this.pose(step.plan, to, step.to, 'main', question))
    })
    return question
  }

  /** Calls an operation from outside. Nobody answers while no daemon lives. */
  call(name: OperationName, input: Readonly<Record<string, unknown>>, question?: Question): Told | undefined {
    const daemon = this.#daemon
    if (daemon === undefined) return undefined
    const gone = new AbortController()
    const told: Told = { question, name, input, daemon: daemon.life, hangUp: () => gone.abort() }
    this.told.push(told)
    const auth = { principal: aProgram, team: undefined, parent: undefined } as const
    const call: Call = { auth, signal: gone.signal, progress: () => {}, idempotencyKey: undefined }
    daemon.operations.call(name, input, call).then(
      (result) => {
        if (!daemon.life.hasEnded) told.result = result
      },
      (error: unknown) => {
        if (daemon.life.hasEnded || gone.signal.aborted) return
        if (error instanceof IrisError) told.refusal = error
        else this.broken.push(`${name} threw ${String(error instanceof Error ? error.stack : error)}`)
      },
    )
    return told
  }

  send(question: Question, timeout: number, idempotencyKey?: string): Told | undefined {
    const { from, to, thread } = question
    const input = {
      toTeam: to,
      message: messageOf(question),
      thread,
      timeout,
      ...(from !== 'external' && { fromTeam: from }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    }
    return this.call('send_message', input, question)
  }

  /** Nobody does anything more: everything comes to its end, and Iris stops. */
  async finish(): Promise<void> {
    this.#crashAt = undefined
    this.start()
    const isDone = (): boolean => this.ledger?.underWay().length === 0
    if (!(await this.time.pass(48 * 3_600_000, isDone)))
      this.broken.push(`never ends: ${JSON.stringify(this.ledger?.underWay())}`)
    for (const told of this.told) told.hangUp()
    await this.time.pass(60_000)
    const daemon = this.#daemon
    if (daemon === undefined) throw new Error('no daemon at the end')
    let hasStopped = false
    void daemon.stop(0).then(() => {
      hasStopped = true
    })
    if (!(await this.time.pass(60_000, () => hasStopped))) this.broken.push('the daemon does not stop')
    this.#hasStopped(daemon)
  }

  close(): void {
    for (const daemon of [...this.#formerLives, ...(this.#daemon ? [this.#daemon] : [])]) daemon.close()
  }

  #hasStopped(daemon: DaemonLife): void {
    const left = [...this.machine.processes].filter((process) => process.daemon === daemon.life)
    if (left.length > 0) this.broken.push(`${left.length} processes are left after the stop`)
    if (daemon.parts.pool.size > 0) this.broken.push(`the pool holds ${daemon.parts.pool.size} after the stop`)
  }

  /** The daemon is no more; whoever waited for it waits no longer. */
  #leave(): DaemonLife | undefined {
    const daemon = this.#daemon
    if (daemon === undefined) return undefined
    this.#crashAt = undefined
    this.#daemon = undefined
    this.#formerLives.push(daemon)
    for (const { id, sessionId } of daemon.ledger.underWay()) {
      this.interrupted.add(id)
      this.damaged.add(sessionId)
    }
    daemon.life.end()
    return daemon
  }

  #reached(checkpoint: Checkpoint | 'traffic'): void {
    const armed = this.#crashAt
    if (armed?.checkpoint !== checkpoint) return
    if (--armed.count <= 0) this.crash(armed.how, armed.downMs)
  }

  #noted(entry: OracleEntry, process: SimulatedProcess): void {
    const { event, session } = entry
    if (event === 'start' || event === 'resume') {
      const writers = [...this.machine.processes].filter((other) => other !== process && other.sessionId === session)
      if (writers.length > 0) this.broken.push(`two writers of ${session}`)
      const own = [...this.machine.processes].filter(({ daemon }) => daemon === process.daemon)
      const maxProcesses = this.#daemon?.parts.pool.maxProcesses ?? own.length
      if (own.length > maxProcesses) this.broken.push(`${own.length} processes, at most ${maxProcesses} may be`)
    }
    if (event === 'message' && entry.ran) this.#ran(entry.uuid, process)
    if (event === 'tool' && this.ledger?.messageOf(entry.uuid) !== undefined) {
      if (!this.ledger.knowsStart(entry.uuid, entry.toolUseId)) this.broken.push(`${entry.tool} ran unrecorded`)
    }
  }

  #ran(uuid: string, process: SimulatedProcess): void {
    const message = this.ledger?.messageOf(uuid)
    const understood = this.mind.understood.get(uuid)
    if (message === undefined && understood !== undefined) this.broken.push(`ran ${uuid}, which no ledger knows`)
    if (message === undefined || understood === undefined) return
    if (messageOf(understood) !== message) this.broken.push(`crossed: ${message} read as ${understood.id}`)
    if (process.daemon.hasEnded) this.interrupted.add(uuid)
  }
}

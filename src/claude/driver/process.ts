import type { ControlHandler } from '../../base/agent/control-handler.ts'
import { isSign, isSystem, type Line, userLine } from '../../base/agent/line.ts'
import type { AgentFacts, AgentProcess } from '../../base/agent/process.ts'
import type { Conversation, Prompt, Run, RunEnd, RunListener, Task } from '../../base/agent/run.ts'
import type { ClaudeResult, Spent } from '../../base/agent/run-result.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { Exit, StopManner } from '../../base/lib/program-end.ts'
import { Subject } from '../../base/lib/subject.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import { type Child, lossShowsMs } from '../../platform/machine/child.ts'
import { Activity } from './activity.ts'
import { agentsOf } from './agent-facts.ts'
import { Attribution } from './attribution.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { ContextGauge } from './context-gauge.ts'
import { ControlChannel, hooksAndTools } from './control-channel.ts'
import { RunningHooks } from './ending-signs.ts'
import { exitedEarly } from './exit-text.ts'
import type { HandedRules } from './handed-rules.ts'
import { Inquiries } from './inquiries.ts'
import { LineReader } from './line-reader.ts'
import { toResult } from './result.ts'
import { UsageCount } from './usage-count.ts'
import { WholeAnswer } from './whole-answer.ts'

/**
 * A running `claude` that serves one session: stopped, spawning, idle ⇄ processing, terminating, stopped. Moves lines
 * and control requests; decides nothing about turns.
 */
export class ClaudeProcess implements AgentProcess {
  readonly sessionId: string
  /** Whether the process resumed a conversation. */
  readonly resumed: boolean
  readonly exited: Promise<Exit>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds from the start until it could take a message; 0 before that. */
  readyMs = 0
  readonly #sinceStart: () => number
  readonly #child: Child
  readonly #lines: LineReader
  readonly #control: ControlChannel
  readonly inquiries: Inquiries
  readonly hooks = new RunningHooks()
  readonly #attribution: Attribution
  readonly #tasks: BackgroundTasks
  readonly #answer: WholeAnswer
  readonly activity: Activity
  readonly #gauge = new ContextGauge()
  readonly #usage = new UsageCount()
  readonly #unsolicited = new Subject<EndedUnsolicitedTurn>()
  /** The turns that the CLI started on its own. */
  readonly unsolicited$ = this.#unsolicited.asObservable()
  readonly #foreign = new Subject<string>()
  /** Ids of other sessions that appear in its lines while no delivery is running. */
  readonly foreign$ = this.#foreign.asObservable()
  #state: ProcessState = 'spawning'
  #run: Run | undefined
  #agents: readonly AgentFacts[] = []
  #diedByItself = false

  constructor(child: Child, { sessionId, resumed, takenUp }: Conversation, host: ControlHandler, clock: Clock) {
    this.#child = child
    this.sessionId = sessionId
    this.resumed = resumed
    this.startedAt = clock.now()
    const began = clock.elapsed()
    this.#sinceStart = () => clock.elapsed() - began
    this.#tasks = new BackgroundTasks(() => clock.now())
    this.activity = new Activity(this.#tasks, this.hooks)
    this.#attribution = new Attribution((toolUseId) => this.#tasks.hasTool(toolUseId))
    this.#answer = new WholeAnswer(this.#tasks, clock, (result, isCut) => {
      const { commands } = this.#tasks
      this.#finish(isCut ? { kind: 'interrupted', result } : { kind: 'result', result, commands })
    })
    this.#control = new ControlChannel((message) => this.#write(message), host, clock, {
      toolUseOf: (agent, type) => this.#tasks.toolUseOf(agent, type),
      unsolicited: () => this.#attribution.unsolicited,
      toolRuns: () => this.#run?.listener.onTool?.(),
    })
    this.inquiries = new Inquiries(this.#control)
    const drained = (): Promise<void> | undefined => this.#run?.listener.drained()
    this.#lines = new LineReader(child, (line) => this.#take(line), drained)
    if (takenUp) this.#state = 'idle'
    else this.#lines.read()
    this.exited = child.exited.then((exit) => {
      const rest = this.#lines.rest()
      if (rest) this.#run?.listener.onLine(rest)
      this.#ended(exit)
      return exit
    })
  }

  get state(): ProcessState {
    return this.#state
  }

  get pid(): number {
    return this.#child.pid
  }

  get stderr(): string {
    return this.#child.stderr()
  }

  /** Whether the process exited before Iris ended it. */
  get diedByItself(): boolean {
    return this.#diedByItself
  }

  get toolsRunning(): readonly string[] {
    const waitedFor = this.#answer.waits ? this.#tasks.answering.map(({ tool, type }) => tool || type) : []
    return [...this.activity.toolsRunning, ...waitedFor]
  }

  /** After the exit: the background commands that ended with the process. */
  get commandsLeft(): readonly Task[] {
    return this.#tasks.unreportedCommands
  }

  /** Whether nothing remains of the last message: no background task, and no message that joined it. */
  get isAtRest(): boolean {
    return this.#state === 'idle' && this.answeringTasks.length === 0 && !this.#answer.owesSteers
  }

  /** Background tasks that have not reported yet. */
  get answeringTasks(): readonly Task[] {
    return this.#tasks.answering
  }

  /** The link to its machine. While it is cut off, the state of the process is unknown. */
  get link(): Pick<Child, 'cutOff' | 'cutOff$'> {
    return this.#child
  }

  /** The rules that Iris has handed to it. */
  get rules(): HandedRules {
    return this.#control.rules
  }

  /**
   * How many requests are waiting for a person or for a tool of Iris. While there are any, the process does not count
   * as silent.
   */
  get openQuestions(): number {
    return this.#control.openQuestions
  }

  /** The agents that it can run as; empty before it is ready. */
  get agents(): readonly AgentFacts[] {
    return this.#agents
  }

  /** Whether nothing is running in the foreground or the background. The process can then be ended without loss. */
  get isQuiet(): boolean {
    return this.#state === 'idle' && !this.activity.isActive
  }

  /** Whether nothing is running and nothing is about to begin. The next turn will then be the next message's. */
  get isAlone(): boolean {
    return this.#state === 'idle' && !this.activity.mayBeginTurn
  }

  /** How full the conversation was at the last model call, and how long the API caches its prompt. */
  get context(): Pick<ContextGauge, 'share' | 'cacheMs'> {
    return this.#gauge
  }

  /** Resolves when the CLI has answered; rejects if it refuses, exits or is late. Costs no model call. */
  async initialize(timeoutMs: number): Promise<void> {
    const answer = this.#control.request('initialize', hooksAndTools, timeoutMs)
    const exited = this.exited.then((exit) => Promise.reject(exitedEarly(exit, this.stderr)))
    this.#agents = agentsOf(await Promise.race([answer, exited]))
    this.readyMs = Math.round(this.#sinceStart())
    if (this.#state === 'spawning') this.#state = 'idle'
  }

  /** `past`: what the conversation used before, if known. Some builds continue counting from there after a resume. */
  countFrom(past: Spent | undefined): void {
    if (past !== undefined) this.#usage.from(past)
  }

  /**
   * Sends a message under this uuid. Throws if a message is already running: the CLI would merge the new message into
   * that turn.
   */
  run(uuid: string, { text, blocks }: Prompt, listener: RunListener): Promise<RunEnd> {
    return this.#expect(listener, () => {
      this.#control.defaults.restore()
      this.#attribution.expect(uuid, this.activity.nextTurnIsAsked, text.startsWith('/'))
      this.#write(userLine(uuid, text, this.sessionId, blocks), uuid)
    })
  }

  /**
   * Adds a message to the running message after `commit`. Returns false if the CLI has not begun the running message.
   */
  steer(uuid: string, text: string, commit: () => void): boolean {
    if (this.#state !== 'processing' || !this.#attribution.isOwned) return false
    commit()
    this.#answer.steered(uuid)
    this.#attribution.join(uuid)
    this.#write(userLine(uuid, text, this.sessionId))
    return true
  }

  /**
   * Continues with a message from an earlier Iris and the messages that joined it. Reads all output that the process
   * has printed since the message; throws like `run`.
   */
  continueRun(uuid: string, joined: readonly string[], listener: RunListener): Promise<RunEnd> {
    return this.#expect(listener, () => {
      this.#attribution.expect(uuid, false)
      for (const each of joined) this.#attribution.join(each)
      void this.#control.takeUp(this.#child.caughtUp)
      this.#lines.read()
    })
  }

  #expect(listener: RunListener, begin: () => void): Promise<RunEnd> {
    // The process may have ended since the caller found it idle.
    if (this.#state === 'terminating' || this.#state === 'stopped') {
      return this.exited.then((exit) => ({ kind: 'exited', exit, stderr: this.stderr }))
    }
    if (this.#state !== 'idle') throw new Error(`the process is ${this.#state}, not idle`)
    this.#state = 'processing'
    this.#run = { listener, end: deferred() }
    this.#answer.begin()
    begin()
    return this.#run.end.promise
  }

  /** Stops the running turn and the background tasks that it waits for; its result follows. */
  async interrupt(timeoutMs: number): Promise<void> {
    this.#answer.beginCut()
    await this.#control.request('interrupt', {}, timeoutMs)
    if (this.#answer.waits) this.inquiries.stopTasks(this.#tasks.answering, timeoutMs)
    this.#answer.cut()
  }

  /** Withdraws the running message, unless the CLI has begun it. Resolves to true if it was withdrawn. */
  async withdraw(uuid: string, timeoutMs: number): Promise<boolean> {
    const { cancelled } = await this.#control.request('cancel_async_message', { message_uuid: uuid }, timeoutMs)
    if (cancelled === true) this.#finish({ kind: 'withdrawn' })
    return cancelled === true
  }

  /**
   * Whether its event loop responds. A healthy process responds within 50 ms, even while a tool is running. True if its
   * host is unreachable.
   */
  async probe(timeoutMs: number): Promise<boolean> {
    const { link } = this
    const ms = timeoutMs + (link.cutOff$ ? lossShowsMs : 0)
    return link.cutOff !== undefined || (await this.#control.answers(ms)) || link.cutOff !== undefined
  }

  /**
   * Ends the process and everything it started. Closes stdin only if idle: a busy CLI would answer with broken calls.
   */
  async stop(manner: StopManner = this.isQuiet ? 'idle' : 'busy'): Promise<Exit> {
    if (this.#state !== 'stopped') this.#state = 'terminating'
    await this.#child.stop(manner)
    return this.exited
  }

  #write(message: unknown, uuid?: string): void {
    // Errors are ignored: after a broken pipe, the process exits anyway.
    this.#child.write(`${JSON.stringify(message)}\n`, uuid).catch(() => {})
  }

  #take(line: Line): void {
    if (isSign(line)) this.#run?.listener.onSign()
    const named = line['session_id']
    if (typeof named === 'string' && named !== '' && named !== this.sessionId)
      if (this.#run) this.#run.listener.onForeign(named)
      else this.#foreign.next(named)
    if (this.#control.take(line)) return
    this.activity.take(line)
    this.#gauge.take(line)
    this.#attribute(line)
    // Only after the line is attributed: it may be the last line of its turn.
    this.#answer.take(line)
  }

  #attribute(line: Line): void {
    if (isSystem(line, 'session_state_changed')) return // It concerns the process, not a turn.
    const { lines, result, unsolicited, isKnown } = this.#attribution.take(line)
    const counted = (each: Line): ClaudeResult => this.#usage.counted(toResult(each), this.#control.defaults.begunWith)
    if (unsolicited)
      this.#unsolicited.next({ ...unsolicited, result: unsolicited.result && counted(unsolicited.result) })
    if (isKnown) return this.#finish({ kind: 'known' })
    this.#answer.hear(lines, unsolicited)
    for (const ours of lines) this.#run?.listener.onLine(ours)
    if (result === undefined || !this.#answer.takeResult(counted(result))) return
    this.#attribution.awaitReports()
    this.#run?.listener.onWait?.()
  }

  #finish(end: RunEnd): void {
    this.#attribution.forget()
    this.#answer.end()
    if (this.#state === 'processing') this.#state = 'idle'
    this.#run?.end.resolve(end)
    this.#run = undefined
  }

  #ended(exit: Exit): void {
    this.#diedByItself = this.#state !== 'terminating'
    this.#state = 'stopped'
    this.#control.close(exitedEarly(exit, this.stderr))
    for (const turn of this.#attribution.left()) this.#unsolicited.next({ ...turn, result: undefined })
    this.#unsolicited.complete()
    this.#foreign.complete()
    this.#finish({ kind: 'exited', exit, stderr: this.stderr })
  }
}

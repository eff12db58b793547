import { echoedUuid, isSystem, type Line } from '../../base/agent/line.ts'
import type { ClaudeResult } from '../../base/agent/run-result.ts'
import type { UnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { Speech } from './answer.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { joined, withAnswer, withStopped } from './result.ts'

/** How long the CLI may be idle between the end of a task and the turn that reports it. */
const lingerMs = 5000

/**
 * Decides when a turn has its whole answer. While background tasks have yet to report, the turn's own result is not the
 * whole answer: the CLI runs further turns for the reports, and becomes idle after the last one. Older builds are idle
 * even while an agent is still working, so both the state and the tasks matter.
 */
export class WholeAnswer {
  readonly #tasks: BackgroundTasks
  readonly #clock: Clock
  readonly #onWhole: (result: ClaudeResult, isCut: boolean) => void
  #results: ClaudeResult[] = []
  /** What the agent has said since the last result. */
  #speech = new Speech()
  /** Whether the message joined an unsolicited turn after the model had begun that turn. */
  #joinsReport = false
  #waits = false
  #cut = false
  #turnOpen = false
  /** Uuids of messages that joined the turn and that the CLI has not begun to read. */
  readonly #steers = new Set<string>()
  /** Whether a hook has stopped a message since the last result. */
  #isStopped = false
  /** How many of the joined messages a hook has stopped before the model read them. */
  #stopped = 0
  /** The session state that the CLI printed last; undefined for builds that do not print it. */
  #state: unknown
  #cancelLinger = (): void => {}

  /** `isCut`: the turn was interrupted while it waited, so its answer is not whole. */
  constructor(tasks: BackgroundTasks, clock: Clock, onWhole: (result: ClaudeResult, isCut: boolean) => void) {
    this.#tasks = tasks
    this.#clock = clock
    this.#onWhole = onWhole
  }

  /** Whether the turn has its own result and now waits for the reports of background tasks. */
  get waits(): boolean {
    return this.#waits
  }

  /** Call this when a message joins the turn. If the CLI ends the turn first, it begins another one for the message. */
  steered(uuid: string): void {
    this.#steers.add(uuid)
  }

  /** Whether messages that joined the turn are still unread. The CLI may then begin a turn for them. */
  get owesSteers(): boolean {
    return this.#steers.size > 0
  }

  /** Call this when another message is about to be delivered. */
  begin(): void {
    this.end()
    this.#steers.clear()
    this.#stopped = 0
    this.#results = []
    this.#speech = new Speech()
    this.#joinsReport = false
    this.#tasks.forgetSeen()
  }

  /**
   * Takes lines of the delivery, in order, and the unsolicited turn that ended with them or that the message joined.
   */
  hear(lines: readonly Line[], own?: UnsolicitedTurn): void {
    if (own !== undefined && own.result === undefined) this.#joinsReport = true
    for (const line of lines) this.#speech.take(line)
  }

  /**
   * Takes a result: first the turn's own, then those of the reports. Returns true if the turn's own result must wait
   * for reports.
   */
  takeResult(result: ClaudeResult): boolean {
    if (this.#waits && this.#isStopped && result.numTurns === 0) {
      // Not an answer, but the end of a message that joined the turn and that a hook stopped.
      const [oldest] = this.#steers
      if (oldest !== undefined) this.#steers.delete(oldest)
      this.#stopped += 1
      return false
    }
    this.#results.push({ ...withAnswer(result, this.#speech), ...(this.#joinsReport && { joinedReport: true }) })
    this.#speech = new Speech()
    this.#joinsReport = false
    if (this.#waits) return false
    // After a failure, reports of background tasks would not help.
    this.#waits = !result.isError && this.#mustWait()
    if (!this.#waits) this.#whole()
    return this.#waits
  }

  /** Call it after the tasks and the turn have taken the line. */
  take(line: Line): void {
    const echoed = this.#steers.size > 0 ? echoedUuid(line) : undefined
    if (echoed !== undefined) this.#steers.delete(echoed)
    if (line.type === 'command_lifecycle' && line['state'] === 'completed') this.#ended(line['command_uuid'])
    if (isSystem(line, 'informational')) this.#isStopped ||= line['prevent_continuation'] === true
    else if (line.type === 'result') this.#isStopped = false
    if (isSystem(line, 'session_state_changed')) this.#state = line['state']
    if (isSystem(line, 'init')) this.#turnOpen = true
    else if (line.type === 'result') this.#turnOpen = false
    if (!this.#waits) return
    if (this.#turnOpen) this.#cancelLinger()
    const rests = this.#state === undefined ? line.type === 'result' : isIdle(line)
    if (rests || this.#cut) this.#look()
    // The CLI is idle already, and does not announce it again when the last task ends.
    else if (this.#state === 'idle' && !this.#isBusy) this.#linger()
  }

  /** Notes that the message ended unread, because a hook stopped it within the turn that it had joined. */
  #ended(uuid: unknown): void {
    if (typeof uuid === 'string' && this.#steers.delete(uuid)) this.#stopped += 1
  }

  /** Call it before an interrupt: the CLI may become idle before it answers the request, but the answer is then cut. */
  beginCut(): void {
    this.#cut = this.#waits
  }

  /** Call it after an interrupt: no report will come. */
  cut(): void {
    if (!this.#waits) return
    this.#cut = true
    this.#look()
  }

  end(): void {
    this.#waits = false
    this.#cut = false
    this.#cancelLinger()
  }

  #mustWait(): boolean {
    const { answering, hasUnreportedNews, answeringSeen } = this.#tasks
    const mustRest = answeringSeen && this.#state !== undefined && this.#state !== 'idle'
    return answering.length > 0 || hasUnreportedNews || mustRest || this.owesSteers
  }

  #look(): void {
    if (this.#isBusy) return
    if (this.#cut || !this.#tasks.hasUnreportedNews) this.#whole()
    else this.#linger()
  }

  get #isBusy(): boolean {
    return this.#turnOpen || this.#tasks.answering.length > 0 || (this.owesSteers && !this.#cut)
  }

  #linger(): void {
    this.#cancelLinger()
    this.#cancelLinger = this.#clock.machine.after(lingerMs, () => this.#whole())
  }

  #whole(): void {
    const isCut = this.#cut
    const results = this.#results
    // Frees memory: the process may be idle for a long time, and an answer may be long.
    this.#results = []
    this.end()
    this.#onWhole(withStopped(joined(results), this.#stopped), isCut)
  }
}

function isIdle(line: Line): boolean {
  return isSystem(line, 'session_state_changed') && line['state'] === 'idle'
}

import type { Clock } from '../../base/lib/clock.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { isSystem, type Line } from './line.ts'
import { type ClaudeResult, joined } from './result.ts'

/** How long the CLI may be at rest between the end of a task and the turn that reports it. */
const lingerMs = 5000

/**
 * Says when a turn has had its last word. Its own result is not that while something in the background has a report to
 * make: the CLI then takes turns of its own, and comes to rest after the last of them. Newer builds are at rest only then,
 * older ones also while an agent still works, so that both the state and the tasks count.
 */
export class WholeAnswer {
  readonly #tasks: BackgroundTasks
  readonly #clock: Clock
  readonly #onWhole: (result: ClaudeResult, isCut: boolean) => void
  #results: ClaudeResult[] = []
  #waits = false
  #cut = false
  #turnOpen = false
  /** Undefined for builds that do not tell. */
  #state: unknown
  #cancelLinger = (): void => {}

  /** `isCut`: interrupted while it waited, so that there is no whole answer. */
  constructor(tasks: BackgroundTasks, clock: Clock, onWhole: (result: ClaudeResult, isCut: boolean) => void) {
    this.#tasks = tasks
    this.#clock = clock
    this.#onWhole = onWhole
  }

  /** Its turn has had a result of its own, and something in the background has a report to make. */
  get waits(): boolean {
    return this.#waits
  }

  /** Another message is about to be worked on. */
  begin(): void {
    this.end()
    this.#results = []
    this.#tasks.forgetSeen()
  }

  /** A result of the turn: the first is its own, the others report. Returns whether the first one began a wait. */
  takeResult(result: ClaudeResult): boolean {
    this.#results.push(result)
    if (this.#waits) return false
    // A turn that failed is not helped by what it started.
    this.#waits = !result.isError && this.#mustWait()
    if (!this.#waits) this.#whole()
    return this.#waits
  }

  /** After the tasks have taken it, and the turn. */
  take(line: Line): void {
    if (isSystem(line, 'session_state_changed')) this.#state = line['state']
    if (isSystem(line, 'init')) this.#turnOpen = true
    else if (line.type === 'result') this.#turnOpen = false
    if (!this.#waits) return
    if (this.#turnOpen) this.#cancelLinger()
    const rests = this.#state === undefined ? line.type === 'result' : isIdle(line)
    if (rests || this.#cut) this.#look()
    // It rests already, and does not say so again when the last task ends.
    else if (this.#state === 'idle' && !this.#isBusy) this.#linger()
  }

  /** It is about to be interrupted: the CLI may come to rest before it answers the request, and that ends nothing whole. */
  beginCut(): void {
    this.#cut = this.#waits
  }

  /** It was interrupted: no report will come. */
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
    const { answering, hasUntoldNews, answeringSeen } = this.#tasks
    const mustRest = answeringSeen && this.#state !== undefined && this.#state !== 'idle'
    return answering.length > 0 || hasUntoldNews || mustRest
  }

  #look(): void {
    if (this.#isBusy) return
    if (this.#cut || !this.#tasks.hasUntoldNews) this.#whole()
    else this.#linger()
  }

  get #isBusy(): boolean {
    return this.#turnOpen || this.#tasks.answering.length > 0
  }

  #linger(): void {
    this.#cancelLinger()
    this.#cancelLinger = this.#clock.after(lingerMs, () => this.#whole())
  }

  #whole(): void {
    const isCut = this.#cut
    this.end()
    this.#onWhole(joined(this.#results), isCut)
  }
}

function isIdle(line: Line): boolean {
  return isSystem(line, 'session_state_changed') && line['state'] === 'idle'
}

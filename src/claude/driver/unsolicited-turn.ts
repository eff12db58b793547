import { isOfModel, isSystem, type Line, textOf, toolResults, toolUseIds } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/** How many runs of background tasks to remember; each may wake the CLI again. */
const maxRuns = 1000

/** Collects what the lines since the last result say about an unsolicited turn. */
export class UnsolicitedSigns {
  #began = false
  #hasOutput = false
  #news: string[] = []
  #deferred: string | undefined
  /** The task that made the CLI begin the turn on its own, if any. */
  #woken: string | undefined
  /** Tasks whose end was announced but not yet reported by an unsolicited turn. The keys are the runs. */
  readonly #unreported = new Map<string, string>()
  /** The runs of unreported tasks whose ends the CLI announces to the model together with the result of a tool. */
  #given: readonly string[] = []
  /** From the id of a run of a background task to the tool use that started the task. */
  readonly #runs = new Map<string, string>()

  take(line: Line): void {
    if (line.type === 'result') return this.#reset(runOf(line))
    if (typeof line['parent_tool_use_id'] === 'string') return
    if (isSystem(line, 'task_started') || isSystem(line, 'task_notification')) this.#takeTask(line)
    else if (isSystem(line, 'init')) this.#begin()
    else if (line.type === 'assistant') this.#takeMessage(line)
    else this.#takeToolResults(line)
  }

  /** Whether the model has said something or a tool has returned. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  /** Whether the CLI ran a tool before it began a turn. It does so only with a tool that it had deferred. */
  get ranDeferredTool(): boolean {
    return this.#deferred !== undefined
  }

  /** Tool uses whose background tasks ended before the turn began. */
  get news(): readonly string[] {
    return this.#news
  }

  /** The tool use that made the CLI begin the turn. `result`: the result of the turn, if the turn has ended. */
  cause(result: Line | undefined): string | undefined {
    return this.#runs.get(String(result && runOf(result))) ?? this.#deferred ?? this.#woken ?? this.#news.at(-1)
  }

  /**
   * For a process that ends now: the tool uses whose background tasks ended without a report in any turn, beginning
   * with the one that caused the open turn. `lines`: all lines since the last result.
   */
  left(lines: readonly Line[]): readonly string[] {
    const own = new Set(lines.flatMap(toolUseIds))
    const open = this.#began || this.#hasOutput ? this.cause(undefined) : undefined
    const ended = lines.flatMap((line) => this.#endedIn(line))
    return [...new Set([...(open === undefined ? [] : [open]), ...ended.filter((id) => !own.has(id))])]
  }

  /**
   * The tool use that started the task whose end the line announces. A stopped task does not count: it ended with its
   * process.
   */
  #endedIn(line: Line): string[] {
    const { run_id: run, tool_use_id: toolUseId, status } = line
    if (!isSystem(line, 'task_notification') || typeof toolUseId !== 'string' || status === 'stopped') return []
    return typeof run !== 'string' || this.#unreported.has(run) ? [toolUseId] : []
  }

  #begin(): void {
    this.#began = true
    // Newer builds report the oldest first; older ones announce an end only when they report it.
    const [oldest] = this.#unreported.values()
    this.#woken ??= oldest ?? this.#news.at(-1)
  }

  #takeMessage(line: Line): void {
    if (!isOfModel(line)) return
    this.#hasOutput = true
    for (const run of this.#given) this.#unreported.delete(run)
    this.#given = []
  }

  #takeTask(line: Line): void {
    const { run_id: run, tool_use_id: toolUseId } = line
    if (typeof toolUseId !== 'string') return
    // Older builds also announce the end of a command in the foreground, but only within the turn.
    if (line.subtype === 'task_notification' && !this.#began) this.#news.push(toolUseId)
    if (typeof run !== 'string') return
    // If a message is already waiting, its turn comes before the report.
    if (line.subtype === 'task_notification') this.#unreported.set(run, toolUseId)
    this.#runs.delete(run)
    if (this.#runs.size === maxRuns) this.#runs.delete(this.#runs.keys().next().value!)
    this.#runs.set(run, toolUseId)
  }

  #takeToolResults(line: Line): void {
    if (this.#unreported.size > 0) this.#takeReported(textOf(line))
    for (const { toolUseId } of toolResults(line)) {
      this.#hasOutput = true
      if (!this.#began) this.#deferred = toolUseId
      // With the tool's result, the model gets all announcements so far, unless the turn ends before it speaks again.
      else this.#given = [...this.#unreported.keys()]
    }
  }

  /** During a turn, the model learns that a task has ended, so no unsolicited turn will report that end. */
  #takeReported(text: string): void {
    if (!text.startsWith('<task-notification>')) return
    for (const [run, toolUseId] of this.#unreported) if (text.includes(toolUseId)) this.#unreported.delete(run)
  }

  #reset(run: string | undefined): void {
    if (run !== undefined) this.#unreported.delete(run)
    this.#began = false
    this.#hasOutput = false
    this.#news = []
    this.#given = []
    this.#woken = undefined
    this.#deferred = undefined
  }
}

/** The run of the background task that caused the turn of a result; builds before 2.1.330 do not name it. */
function runOf({ origin }: Line): string | undefined {
  return isRecord(origin) && typeof origin['runId'] === 'string' ? origin['runId'] : undefined
}

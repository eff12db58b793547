import { isSystem, isUnsolicited, type Line, toolResults, toolUseIds } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { RunningHooks } from './ending-signs.ts'

interface RunningTool {
  readonly name: string
  /** Whether a subagent runs the tool. */
  readonly isNested: boolean
}

/** Tracks, from a process's lines, what the process is busy with: open turns, running tools and background tasks. */
export class Activity {
  readonly #tools = new Map<string, RunningTool>()
  readonly #tasks: BackgroundTasks
  readonly #hooks: RunningHooks
  /** Settles when the open turn ends. Undefined if no turn is open. */
  #turn: PromiseWithResolvers<void> | undefined
  /**
   * Whether a background task has ended. Unless a running turn reports that to the model, the CLI begins an unsolicited
   * turn for the task.
   */
  #newsDue = false
  #newsTold = false
  /**
   * Whether it is unclear if the last turn reported the end of the task: the turn's prompt may have been written before
   * the task ended.
   */
  #newsDoubtful = false

  constructor(tasks: BackgroundTasks, hooks: RunningHooks) {
    this.#tasks = tasks
    this.#hooks = hooks
  }

  get toolsRunning(): readonly string[] {
    return [...this.#tools.values()].map(({ name }) => name)
  }

  /** Whether a turn is open or a background task is running. In an idle process, an open turn is an unsolicited one. */
  get isActive(): boolean {
    return this.#turn !== undefined || this.#tasks.inBackground.length > 0
  }

  /** Settles when the open turn ends; undefined if no turn is open. */
  get turnEnd(): Promise<void> | undefined {
    return this.#turn?.promise
  }

  /** Whether the next turn may be an unsolicited one. */
  get mayBeginTurn(): boolean {
    return this.isActive || this.#newsDue
  }

  /** Whether a message written now certainly gets the next turn. */
  get nextTurnIsAsked(): boolean {
    return !this.mayBeginTurn && !this.#newsDoubtful
  }

  take(line: Line): void {
    const isNested = typeof line['parent_tool_use_id'] === 'string'
    for (const id of toolUseIds(line)) this.#tools.set(id, { name: toolName(line, id), isNested })
    for (const { toolUseId } of toolResults(line)) this.#tools.delete(toolUseId)
    if (isSystem(line, 'init')) this.#turnBegins()
    if (line.type === 'result') this.#turnEnds(line)
    const before = this.#tasks.inBackground.length
    this.#tasks.take(line)
    this.#hooks.take(line)
    if (this.#tasks.inBackground.length < before) this.#newsDue = true
  }

  #turnBegins(): void {
    this.#turn ??= Promise.withResolvers()
    this.#newsTold = this.#newsDue
  }

  #turnEnds(result: Line): void {
    const agentsWork = this.#tasks.answering.length > 0
    for (const [id, { isNested }] of this.#tools) if (!isNested || !agentsWork) this.#tools.delete(id)
    this.#turn?.resolve()
    this.#turn = undefined
    this.#newsDoubtful = this.#newsTold && !isUnsolicited(result)
    if (this.#newsTold) this.#newsDue = false
    this.#newsTold = false
  }
}

function toolName(line: Line, id: string): string {
  const message = isRecord(line['message']) ? line['message'] : {}
  const content = Array.isArray(message['content']) ? message['content'].filter(isRecord) : []
  return String(content.find((block) => block['id'] === id)?.['name'])
}

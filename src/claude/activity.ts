import { isRecord } from '../lib/is-record.ts'
import { isSystem, isUnasked, type Line, toolResults, toolUseIds } from './line.ts'

/** What a process is busy with besides talking: tools in flight, and tasks it left running in the background. */
export class Activity {
  readonly #tools = new Map<string, string>()
  readonly #tasks = new Set<string>()
  #tasksAreListed = false
  #turnOpen = false
  /** A task has ended; unless a running turn takes the news in, the CLI begins one of its own for it. */
  #newsDue = false
  #newsTold = false
  /** The turn that should have taken the news in may have been composed before they came. */
  #newsDoubtful = false

  get toolsRunning(): readonly string[] {
    return [...this.#tools.values()]
  }

  /** Something goes on that nobody asked for in this moment: a background task, or a turn of the CLI's own. */
  get isActive(): boolean {
    return this.#turnOpen || this.#tasks.size > 0
  }

  /** The next turn to begin may be one of the CLI's own. */
  get mayBeginTurn(): boolean {
    return this.isActive || this.#newsDue
  }

  /** The next turn to begin is that of the message written now. */
  get nextTurnIsAsked(): boolean {
    return !this.mayBeginTurn && !this.#newsDoubtful
  }

  take(line: Line): void {
    for (const id of toolUseIds(line)) this.#tools.set(id, toolName(line, id))
    for (const { toolUseId } of toolResults(line)) this.#tools.delete(toolUseId)
    if (isSystem(line, 'init')) this.#turnBegins()
    if (line.type === 'result') this.#turnEnds(line)
    const tasks = this.#tasks.size
    this.#takeTask(line)
    if (this.#tasks.size < tasks) this.#newsDue = true
  }

  #turnBegins(): void {
    this.#turnOpen = true
    this.#newsTold = this.#newsDue
  }

  #turnEnds(result: Line): void {
    this.#tools.clear()
    this.#turnOpen = false
    this.#newsDoubtful = this.#newsTold && !isUnasked(result)
    if (this.#newsTold) this.#newsDue = false
    this.#newsTold = false
  }

  #takeTask(line: Line): void {
    // Newer builds list them all in one line; what else they say of tasks also speaks of the foreground.
    if (isSystem(line, 'background_tasks_changed') && Array.isArray(line['tasks'])) {
      this.#tasksAreListed = true
      this.#tasks.clear()
      for (const entry of line['tasks'].filter(isRecord)) this.#tasks.add(String(entry['task_id']))
    }
    if (this.#tasksAreListed) return
    const task = String(line['task_id'])
    if (isSystem(line, 'task_started')) this.#tasks.add(task)
    else if (isSystem(line, 'task_notification') || hasEnded(line)) this.#tasks.delete(task)
  }
}

function hasEnded(line: Line): boolean {
  return isSystem(line, 'task_updated') && isRecord(line['patch']) && line['patch']['status'] !== 'running'
}

function toolName(line: Line, id: string): string {
  const message = isRecord(line['message']) ? line['message'] : {}
  const content = Array.isArray(message['content']) ? message['content'].filter(isRecord) : []
  return String(content.find((block) => block['id'] === id)?.['name'])
}

import { isRecord, isSystem, type Line, toolResultIds, toolUseIds } from './line.ts'

/** What a process is busy with besides talking: tools in flight, and tasks it left running in the background. */
export class Activity {
  readonly #tools = new Map<string, string>()
  readonly #tasks = new Set<string>()
  #turnOpen = false

  get toolsRunning(): readonly string[] {
    return [...this.#tools.values()]
  }

  /** Something goes on that nobody asked for in this moment: a background task, or a turn of the CLI's own. */
  get isActive(): boolean {
    return this.#turnOpen || this.#tasks.size > 0
  }

  take(line: Line): void {
    for (const id of toolUseIds(line)) this.#tools.set(id, toolName(line, id))
    for (const id of toolResultIds(line)) this.#tools.delete(id)
    if (isSystem(line, 'init')) this.#turnOpen = true
    if (line.type === 'result') {
      this.#tools.clear()
      this.#turnOpen = false
    }
    this.#takeTask(line)
  }

  #takeTask(line: Line): void {
    const task = String(line['task_id'])
    if (isSystem(line, 'task_started')) this.#tasks.add(task)
    else if (isSystem(line, 'task_notification')) this.#tasks.delete(task)
    else if (isSystem(line, 'background_tasks_changed') && Array.isArray(line['tasks'])) {
      // The whole truth in one line, where the CLI gives it.
      this.#tasks.clear()
      for (const entry of line['tasks'].filter(isRecord)) this.#tasks.add(String(entry['task_id']))
    }
  }
}

function toolName(line: Line, id: string): string {
  const message = isRecord(line['message']) ? line['message'] : {}
  const content = Array.isArray(message['content']) ? message['content'].filter(isRecord) : []
  return String(content.find((block) => block['id'] === id)?.['name'])
}

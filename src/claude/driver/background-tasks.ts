import { blocks, echoedUuid, isSystem, type Line, textOf, toolResults } from '../../base/agent/line.ts'
import type { Task } from '../../base/agent/run.ts'
import { isRecord } from '../../base/lib/is-record.ts'

interface Known extends Task {
  inBackground: boolean
}

/**
 * Types of task that are subagents. They report to the model; until they do, the answer of the turn that started them
 * is incomplete.
 */
export const subagentTypes: ReadonlySet<string> = new Set(['local_agent', 'remote_agent', 'local_workflow'])

function mayAnswer({ type, tool }: Task): boolean {
  // In the CLI, a Monitor has the same type as any other command.
  return subagentTypes.has(type) || tool === 'Monitor'
}

/** One shared empty list, because the list is read for each line, and most processes have no tasks. */
const none: readonly Task[] = []

/**
 * Tracks the background tasks of a process from its lines. Newer builds print a list of them. Older builds announce
 * every task; a task that outlives the result of its tool use runs in the background.
 */
export class BackgroundTasks {
  readonly #now: () => number
  readonly #tasks = new Map<string, Known>()
  readonly #uses = new Map<string, { readonly name: string; readonly command: string }>()
  /** Tool uses that have returned; the CLI may announce their tasks only afterwards. */
  readonly #returned = new Set<string>()
  /** Ids of ended tasks that the CLI has not reported to the model yet. */
  readonly #unreported = new Set<string>()
  /** From the id of a workflow's agent to the id of the workflow's task. */
  readonly #workflowOf = new Map<string, string>()
  /** Commands that were killed since the model began or ended a turn. */
  #killed: Task[] = []
  #areListed = false
  #answeringSeen = false

  constructor(now: () => number) {
    this.#now = now
  }

  get inBackground(): readonly Task[] {
    return this.#tasks.size === 0 ? none : [...this.#tasks.values()].filter((task) => task.inBackground)
  }

  /** The commands among the background tasks. */
  get commands(): readonly Task[] {
    return this.inBackground.filter(({ command }) => command !== '')
  }

  /** Commands whose end the model does not know of: they are still running, or the CLI has just killed them. */
  get unreportedCommands(): readonly Task[] {
    return [...this.commands, ...this.#killed]
  }

  /** The background tasks that have not reported yet. */
  get answering(): readonly Task[] {
    return this.inBackground.filter(mayAnswer)
  }

  get hasUnreportedNews(): boolean {
    return this.#unreported.size > 0
  }

  /** Whether a task that reports to the model ran in the background since the last `forgetSeen`. */
  get answeringSeen(): boolean {
    return this.#answeringSeen
  }

  /** Whether the tool was used since the last `forgetSeen`. */
  hasTool(toolUseId: string): boolean {
    return this.#uses.has(toolUseId)
  }

  forgetSeen(): void {
    this.#answeringSeen = this.answering.length > 0
    this.#uses.clear()
    this.#returned.clear()
  }

  /** The tool use that started an agent, directly or through a workflow; undefined if unknown. */
  toolUseOf(agentId: string, agentType: string): string | undefined {
    const known = this.#tasks.get(agentId) ?? this.#tasks.get(this.#workflowOf.get(agentId) ?? '')
    return (known ?? this.#onlyWorkflow(agentType))?.toolUseId || undefined
  }

  /** An agent may use a tool before the CLI says which workflow the agent belongs to. */
  #onlyWorkflow(agentType: string): Known | undefined {
    if (agentType !== 'workflow-subagent') return undefined
    const [workflow, ...others] = [...this.#tasks.values()].filter(({ type }) => type === 'local_workflow')
    return others.length === 0 ? workflow : undefined
  }

  take(line: Line): void {
    if (isSystem(line, 'init') || line.type === 'result') this.#killed = []
    if (line.type === 'assistant') this.#takeToolUses(line)
    else if (line.type === 'user') this.#takeUser(line)
    else if (isSystem(line, 'init') && this.#areListed) this.#unreported.clear()
    else if (isSystem(line, 'background_tasks_changed') && Array.isArray(line['tasks']))
      this.#takeList(line['tasks'].filter(isRecord))
    else if (isSystem(line, 'task_started')) this.#started(line, line['is_backgrounded'] === true)
    else if (isSystem(line, 'task_progress')) this.#takeProgress(line)
    else if (isSystem(line, 'task_updated') && hasEnded(line)) this.#ended(String(line['task_id']), wasKilled(line))
    else if (isSystem(line, 'task_notification')) this.#notified(line)
  }

  #takeToolUses(line: Line): void {
    for (const { type, id, name, input } of blocks(line)) {
      if (type !== 'tool_use' || typeof id !== 'string') continue
      const command = isRecord(input) && typeof input['command'] === 'string' ? input['command'] : ''
      this.#uses.set(id, { name: String(name), command })
    }
  }

  #takeUser(line: Line): void {
    if (echoedUuid(line) !== undefined) {
      const text = textOf(line)
      for (const id of this.#unreported) if (text.includes(`<task-id>${id}</task-id>`)) this.#unreported.delete(id)
    }
    if (this.#areListed) return
    for (const { toolUseId } of toolResults(line)) {
      this.#returned.add(toolUseId)
      for (const task of this.#tasks.values()) if (task.toolUseId === toolUseId) this.#toBackground(task)
    }
  }

  #takeProgress({ task_id: workflow, workflow_progress: agents }: Line): void {
    if (!Array.isArray(agents)) return
    for (const { agentId } of agents.filter(isRecord)) {
      if (typeof agentId === 'string') this.#workflowOf.set(agentId, String(workflow))
    }
  }

  #takeList(entries: readonly Record<string, unknown>[]): void {
    this.#areListed = true
    const listed = new Set(entries.map((entry) => String(entry['task_id'])))
    for (const { id, inBackground } of this.#tasks.values()) if (inBackground && !listed.has(id)) this.#ended(id)
    for (const entry of entries) {
      const task = this.#tasks.get(String(entry['task_id']))
      if (task) this.#toBackground(task)
      else this.#started(entry, true)
    }
  }

  #started(said: Readonly<Record<string, unknown>>, inBackground: boolean): void {
    const id = String(said['task_id'])
    const known = this.#tasks.get(id)
    const toolUseId = text(said['tool_use_id'])
    const use = this.#uses.get(toolUseId)
    const type = text(said['task_type'])
    const task: Known = {
      id,
      type,
      toolUseId,
      tool: use?.name ?? '',
      description: text(said['description']),
      command: type === 'local_bash' ? use?.command || text(said['description']) : '',
      since: known?.since ?? this.#now(),
      inBackground: false,
    }
    this.#tasks.set(id, task)
    const outlivesItsTool = !this.#areListed && this.#returned.has(toolUseId)
    if (inBackground || known?.inBackground || outlivesItsTool) this.#toBackground(task)
  }

  #toBackground(task: Known): void {
    task.inBackground = true
    if (mayAnswer(task)) this.#answeringSeen = true
  }

  #ended(id: string, isKilled = false): void {
    const task = this.#tasks.get(id)
    if (task?.inBackground && isKilled && task.command !== '') this.#killed.push(task)
    if (task?.inBackground && mayAnswer(task)) this.#unreported.add(id)
    this.#tasks.delete(id)
    for (const [agent, workflow] of this.#workflowOf) if (workflow === id) this.#workflowOf.delete(agent)
  }

  /** Older builds announce a task's end only when they begin to report it to the model. */
  #notified({ task_id: task, status }: Line): void {
    const id = String(task)
    this.#ended(id, status === 'stopped')
    if (!this.#areListed) this.#unreported.delete(id)
  }
}

function hasEnded({ patch }: Line): boolean {
  // A patch may instead say only that the task moved to the background.
  return isRecord(patch) && typeof patch['status'] === 'string' && !['running', 'pending'].includes(patch['status'])
}

function wasKilled({ patch }: Line): boolean {
  return isRecord(patch) && patch['status'] === 'killed'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

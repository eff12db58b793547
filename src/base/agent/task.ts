/** A task that the CLI runs beside the conversation: a subagent, a workflow, a Monitor or a command. */
export interface Task {
  readonly id: string
  /** As the CLI names it: `local_agent`, `local_workflow`, `local_bash`, … */
  readonly type: string
  /** The tool use that started the task, and its tool; empty if the CLI does not say. */
  readonly toolUseId: string
  readonly tool: string
  readonly description: string
  /** The command of a `local_bash` task, or its description if the command is unknown; empty for other tasks. */
  readonly command: string
  /** When Iris first heard of the task, milliseconds since the epoch. */
  readonly since: number
}

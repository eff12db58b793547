import type { SpeechValues } from './script.ts'
import type { Session } from './session.ts'
import { type ToolOutput, useTool } from './tool.ts'
import type { Queue, Turn } from './turn.ts'

const pollMs = 10

/** What continues after the result; its end makes the CLI start its own turn. */
interface TaskFacts {
  readonly id: string
  readonly type: 'local_bash' | 'local_agent' | 'local_workflow'
  readonly toolUseId: string
  /** The task that started it, and hears of its end. */
  readonly parent: string | undefined
  readonly endsAfterFile: string
  /** Of the turn that its end begins; undefined: none. */
  readonly prompt: string | undefined
}

/** A command that continues after the result. */
export function startBackgroundTask(
  turn: Turn,
  { id, endsAfterFile, prompt }: SpeechValues['backgroundTask'],
): Promise<void> {
  const run = async ({ id: toolUseId }: { readonly id: string }): Promise<ToolOutput> => {
    const more = { parent: undefined, endsAfterFile, prompt: prompt ?? newsOf(id, toolUseId, 'completed') }
    start(turn.session, turn.queue, { id, type: 'local_bash', toolUseId, ...more })
    const content = `Command running in background with ID: ${id}`
    return { content, isError: false, outcome: { stdout: '', stderr: '', backgroundTaskId: id } }
  }
  return useTool(turn, { name: 'Bash', input: { command: id, run_in_background: true }, run })
}

/** An agent that continues after the result, and reports: rules are matched against the news of its end. */
export function startBackgroundAgent(turn: Turn, agent: SpeechValues['backgroundAgent']): Promise<void> {
  const { id, endsAfterFile, nested, reports = true } = agent
  const { session, queue } = turn
  const run = async ({ id: toolUseId }: { readonly id: string }): Promise<ToolOutput> => {
    const prompt = reports ? newsOf(id, toolUseId, 'completed') : undefined
    const more = { parent: undefined, endsAfterFile, prompt }
    start(session, queue, { id, type: 'local_workflow', toolUseId, ...more })
    if (nested) {
      const child = { id: nested.id, endsAfterFile: nested.endsAfterFile, parent: id }
      start(session, queue, { ...child, type: 'local_agent', toolUseId: `toolu_${nested.id}`, prompt: undefined })
    }
    const outcome = { status: 'async_launched', taskId: id, taskType: 'local_workflow' }
    return { content: `Workflow launched in background. Task ID: ${id}`, isError: false, outcome }
  }
  return useTool(turn, { name: 'Workflow', input: { script: id }, run })
}

/** As an interrupt does while nothing else runs: agents are stopped, commands are not. No result follows. */
export function stopBackgroundAgents(session: Session): void {
  for (const { type, stop } of [...session.backgroundTasks.values()]) if (type !== 'local_bash') stop('killed')
}

function start(session: Session, queue: Queue, facts: TaskFacts): void {
  const { id, type, toolUseId, parent, endsAfterFile, prompt } = facts
  const run = `run-${id}`
  const say = (subtype: string, fields: Record<string, unknown>) =>
    session.voice.event({ type: 'system', subtype, task_id: id, run_id: run, ...fields })
  const ofTool = { tool_use_id: toolUseId }
  const end = (status: string): void => {
    if (!session.backgroundTasks.delete(id)) return
    say('task_updated', { patch: { status, end_time: session.world.clock.now() } })
    say('task_notification', { ...ofTool, status, output_file: '', summary: `${id} ended` })
    tellTasks(session)
    if (prompt !== undefined && status === 'completed') queue.addUnsolicited(prompt, run)
    else session.tellState()
  }
  const look = (): void => {
    if (!session.backgroundTasks.has(id)) return
    if (session.world.files.exists(endsAfterFile)) end('completed')
    else session.world.clock.after(pollMs, look)
  }
  session.backgroundTasks.set(id, { type, stop: end })
  tellTasks(session)
  const place = parent === undefined ? {} : { parent_task_id: parent, spawn_depth: 2 }
  const backgrounded = session.listsTasks ? { is_backgrounded: true } : {}
  say('task_started', { ...ofTool, description: id, task_type: type, ...place, ...backgrounded })
  look()
}

function tellTasks(session: Session): void {
  if (!session.listsTasks) return
  const tasks = [...session.backgroundTasks].map(([task_id, { type }]) => ({ task_id, task_type: type }))
  session.voice.event({ type: 'system', subtype: 'background_tasks_changed', tasks })
}

function newsOf(id: string, toolUseId: string, status: string): string {
  const facts = `<task-id>${id}</task-id>\n<tool-use-id>${toolUseId}</tool-use-id>\n<status>${status}</status>`
  return `<task-notification>\n${facts}\n<summary>${id} ended</summary>\n</task-notification>`
}

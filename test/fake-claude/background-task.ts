import type { SpeechValues } from './script.ts'
import type { Turn } from './turn.ts'

const pollMs = 10

/** A command that goes on after the result; its end makes the CLI start a turn of its own. */
export function startBackgroundTask(turn: Turn, { id, endsAfterFile, prompt }: SpeechValues['backgroundTask']): void {
  const { session, queue } = turn
  const say = (subtype: string, fields: Record<string, unknown>) =>
    session.voice.event({ type: 'system', subtype, ...fields })
  const tellTasks = () => {
    const tasks = [...session.backgroundTasks].map((task_id) => ({ task_id, task_type: 'local_bash' }))
    say('background_tasks_changed', { tasks })
  }
  const end = () => {
    session.backgroundTasks.delete(id)
    say('task_updated', { task_id: id, patch: { status: 'completed', end_time: session.world.clock.now() } })
    say('task_notification', { task_id: id, status: 'completed', output_file: '', summary: 'Background command ended' })
    tellTasks()
    queue.addUnasked(prompt ?? `<task-notification>${id} completed</task-notification>`)
  }
  const look = () => {
    if (session.world.files.exists(endsAfterFile)) end()
    else session.world.clock.after(pollMs, look)
  }
  session.backgroundTasks.add(id)
  tellTasks()
  say('task_started', { task_id: id, description: id, is_backgrounded: true, task_type: 'local_bash' })
  look()
}

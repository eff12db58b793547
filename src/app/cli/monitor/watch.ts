import { systemClock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { call, ownerCall } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { daemonEvents, daemonFrames } from '../daemon-events.ts'
import type { Monitor } from './monitor.ts'
import type { LogLine } from './state.ts'

/** Feeds the monitor with events and log entries, across restarts of the daemon, until the signal aborts. */
export async function watch(context: CommandContext, monitor: Monitor, signal: AbortSignal): Promise<void> {
  await Promise.all([watchEvents(context, monitor, signal), watchLog(context, monitor, signal)])
}

async function watchEvents(context: CommandContext, monitor: Monitor, signal: AbortSignal): Promise<void> {
  const events = daemonEvents(context.env, '', signal, (connection) =>
    monitor.take({ type: 'connection', connection, at: systemClock.now() }),
  )
  for await (const event of events) {
    monitor.take(event)
    // Events from before a snapshot may have been missed, so sessions and questions are loaded again.
    if (event.type === 'snapshot') await askAgain(context, monitor)
  }
}

async function askAgain(context: CommandContext, monitor: Monitor): Promise<void> {
  try {
    monitor.take({ type: 'board', board: await call(context, 'get_switchboard', { limit: 200 }) })
    const { permissions } = await ownerCall(context, 'list_permissions', { state: 'pending', limit: 1000 })
    monitor.take({ type: 'questions', questions: permissions })
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    // The stream reports a lost daemon itself, and connects again.
    if (error.code !== 'daemon_unreachable') monitor.note(`${error.message} ${error.remedy}`)
  }
}

async function watchLog(context: CommandContext, monitor: Monitor, signal: AbortSignal): Promise<void> {
  for await (const { type, data } of daemonFrames(context.env, 'logs=info&only=logs', signal)) {
    if (type === 'log') monitor.take({ type: 'log', entries: (data as { entries: readonly LogLine[] }).entries })
  }
}

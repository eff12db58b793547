import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import type { Monitor } from './monitor.ts'
import { chosenSession } from './view.ts'

/** Loads the last turn of the chosen conversation from before the monitor started, once for each conversation. */
export function recall(context: CommandContext, monitor: Monitor): void {
  const asked = new Set<string>()
  monitor.subscribe(() => {
    const { seen, view } = monitor.shown
    const sessionId = chosenSession(seen, view)?.sessionId
    if (sessionId === undefined || seen.works.has(sessionId) || asked.has(sessionId)) return
    asked.add(sessionId)
    void call(context, 'session_turns', { sessionId, limit: 1 }).then(
      ({ turns: [turn] }) => turn && monitor.take({ type: 'recalled', sessionId, turn }),
      // On failure the pane shows no earlier turn.
      () => {},
    )
  })
}

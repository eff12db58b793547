import { systemClock } from '../../../base/lib/clock.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { interrupted } from '../exit-code.ts'
import type { Action } from '../monitor/keys.ts'
import type { Given } from '../table/spec.ts'

/** Shows events as they happen: full-screen in a terminal, otherwise as lines. */
export async function monitor({ context, json }: Given): Promise<number | undefined> {
  // Throws at once if the caller may not see the events.
  await call(context, 'get_switchboard', { limit: 1 })
  if (json || !context.isInteractive) return (await import('../monitor/plain.ts')).tellPlainly(context, json)
  return showScreen(context)
}

/** Resolves with `interrupted` after Ctrl-C, which Ink handles without an action. */
async function showScreen(context: CommandContext): Promise<number | undefined> {
  // Set before React is loaded: otherwise React checks itself at every drawing and keeps the measurements.
  process.env['NODE_ENV'] = 'production'
  if (context.env['NO_COLOR']) process.env['FORCE_COLOR'] = '0'
  const [{ render }, { createElement }, { Monitor }, { Screen }, { watch }, { recall }] = await Promise.all([
    import('ink'),
    import('react'),
    import('../monitor/monitor.ts'),
    import('../monitor/screen.ts'),
    import('../monitor/watch.ts'),
    import('../monitor/recall.ts'),
  ])
  const left = new AbortController()
  let exitCode: number | undefined = interrupted
  const act = async (action: Action): Promise<void> => {
    if (action.kind === 'leave') {
      exitCode = undefined
      return screen.unmount()
    }
    if (action.kind === 'ring') return void context.stdout.write('\u0007')
    const { decide } = await import('../../../features/permission/commands/decide.ts')
    const { question, decision, reason } = action
    const reply = await decide(context, question, decision, reason).catch((error: Error) => error.message)
    monitor.note(reply)
  }
  const monitor = new Monitor(systemClock, (action) => void act(action))
  const screen = render(createElement(Screen, { monitor }), {
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    patchConsole: false,
    stdin: context.stdin as NodeJS.ReadStream,
    stdout: context.stdout as NodeJS.WriteStream,
  })
  recall(context, monitor)
  const watching = watch(context, monitor, left.signal)
  await Promise.race([screen.waitUntilExit(), watching.then(() => screen.waitUntilExit())])
  monitor.end()
  left.abort()
  return exitCode
}

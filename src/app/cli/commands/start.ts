import { systemClock } from '../../../base/lib/clock.ts'
import { mustReachServer } from '../../../features/cluster/commands/cluster-server.ts'
import { irisHome } from '../../../platform/config/home.ts'
import type { CommandContext } from '../context.ts'
import type { StartedHere } from '../daemon-code.ts'
import { ensureDaemon } from '../daemon-control.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { otherVersion } from '../running-daemon.ts'
import type { Given } from '../table/spec.ts'

/**
 * How long turns may take to end after a second signal, milliseconds. Turns that take longer stay in the ledger as
 * unfinished.
 */
const hurriedMs = 5000
/** After how long a stop prints that it is waiting for running messages, milliseconds. */
const noteMs = 300

/** Runs the daemon until a signal or `iris stop` ends it. Its log goes to stderr. */
export async function start({ context, env, options, json, daemon: { startDaemon } }: Given): Promise<void> {
  refuseInsideAgent(env, 'start a daemon')
  if (options['cluster'] === true) await mustReachServer(env)
  if (options['background'] === true) return startInBackground(context, json)
  const home = irisHome(env)
  const asked = Promise.withResolvers<void>()
  const hurried = Promise.withResolvers<void>()
  const starting = startDaemon({ home, env, onStopAsked: asked.resolve })
  let signals = 0
  const onSignal = (): void => {
    signals += 1
    if (signals === 1) return asked.resolve()
    starting.then((daemon) => daemon.stop(0)).then(hurried.resolve, hurried.reject)
    systemClock.after(hurriedMs, hurried.resolve)
  }
  // Listens during the start too: without a listener, a signal would kill a daemon that already has its store open.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) context.onSignal(signal, onSignal)
  const daemon = await starting
  if (context.stdout.isTTY) for (const line of welcome(daemon)) context.say(line)
  await asked.promise
  const stopping = 'Stopping; running messages get up to 30 s to finish. Press Ctrl-C again to stop at once.'
  const forgetNote = systemClock.after(noteMs, () => context.note(stopping))
  await Promise.race([daemon.stop(), hurried.promise])
  forgetNote()
}

/** Starts the daemon unless one runs already, and prints its address. */
export async function startInBackground(context: CommandContext, json: boolean): Promise<void> {
  const daemon = await ensureDaemon({ home: irisHome(context.env), env: context.env, spawn: context.spawnDaemon })
  const { version, pid, port } = daemon
  const other = otherVersion(daemon)
  if (other !== undefined) context.note(`Note: ${other}`)
  if (json) context.sayJson({ running: true, version, pid, port })
  else context.say(`Iris ${version} runs (pid ${pid}, http://127.0.0.1:${port}/mcp).`)
}

function welcome({ port, config }: StartedHere): string[] {
  const address = `Iris listens on http://127.0.0.1:${port}/mcp. Ctrl-C stops it.`
  const names = [...config.teams.keys()]
  if (names.length > 0) return [address, `Teams: ${names.join(', ')}.`]
  return [
    address,
    'There are no teams yet. A team is a project directory. Add one, and Iris picks it up when you save:',
    '',
    `  # ${config.file}`,
    '  teams:',
    '    backend:',
    '      path: ~/projects/backend',
    '      description: What it knows about.',
    '',
  ]
}

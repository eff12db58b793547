import { runDemo } from '../../demo/demo.ts'
import type { Given } from '../command/spec.ts'
import { ensureDaemon, stopDaemonNow } from '../daemon-control.ts'
import { note, say, sayJson } from '../say.ts'
import { mainFile } from '../spawn-daemon.ts'

/** The main job on two sample projects; ends everything it started, on Ctrl-C too. */
export async function demo({ env, options, json }: Given): Promise<void> {
  const live = options['live'] === true
  const interrupted = new AbortController()
  const interrupt = (): void => {
    if (!interrupted.signal.aborted) note('Interrupted: ending everything that was started.')
    interrupted.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  const tell = json ? note : say
  tell('Iris demo: the project `frontend` asks the project `backend`.\n')
  const outcome = await runDemo({
    live,
    env,
    bridge: { command: process.execPath, args: [mainFile, 'mcp'] },
    startDaemon: (home, environment) => ensureDaemon({ home, env: environment }),
    stopDaemon: stopDaemonNow,
    say: tell,
    signal: interrupted.signal,
  })
  if (json) sayJson({ live, ...outcome })
}

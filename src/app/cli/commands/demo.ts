import { IrisError } from '../../../base/protocol/error.ts'
import { runChatDemo } from '../../demo/chat-demo.ts'
import { runClusterDemo } from '../../demo/cluster-demo.ts'
import { runDemo } from '../../demo/demo.ts'
import type { Given } from '../command/spec.ts'
import { ensureDaemon, stopDaemonNow } from '../daemon-control.ts'
import { interrupted } from '../exit-code.ts'
import { note, say, sayJson } from '../say.ts'
import { mainFile } from '../spawn-daemon.ts'

/** Three hosts on this machine, joined by a nats-server. */
export async function clusterDemo({ env, json }: Given): Promise<void> {
  const left = new AbortController()
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(each, () => left.abort())
  const tell = json ? note : say
  tell('Iris cluster demo: a team of one host asks a team that lives on two others, and one of these is killed.\n')
  const outcome = await runClusterDemo({
    env,
    bridge: { command: process.execPath, args: [mainFile, 'mcp'] },
    startDaemon: (home, environment) => ensureDaemon({ home, env: environment }),
    stopDaemon: stopDaemonNow,
    say: tell,
    signal: left.signal,
  })
  if (json) sayJson({ ...outcome })
  else
    say(
      `Every message was accepted once, executed once and answered once. What was written is in ${outcome.directory}.`,
    )
}

/** A chat in Telegram, against a double of it. */
async function chatDemo({ env, json }: Given): Promise<undefined> {
  const left = new AbortController()
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(each, () => left.abort())
  const tell = json ? note : say
  tell('Iris channels demo: somebody writes to a bot, and a team answers.\n')
  const outcome = await runChatDemo({
    ...{ env, say: tell, signal: left.signal, stopDaemon: stopDaemonNow },
    startDaemon: (home, environment) => ensureDaemon({ home, env: environment }),
  })
  if (json) sayJson({ ...outcome })
  else say(`\nWhat was written is in ${outcome.directory}. With a bot of your own: docs/guide/telegram.md.`)
}

/** Runs the main job on two sample projects; ends everything that it started, on Ctrl-C too. */
export async function demo({ env, options, json, refusalText, ...rest }: Given): Promise<number | undefined> {
  if (options['channels'] === true) return chatDemo({ env, options, json, refusalText, ...rest })
  const live = options['live'] === true
  const left = new AbortController()
  let signal: NodeJS.Signals | undefined
  const interrupt = (by: NodeJS.Signals): void => {
    signal ??= by
    if (!left.signal.aborted) note('Interrupted: ending everything that was started.')
    left.abort()
  }
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(each, interrupt)
  const tell = json ? note : say
  tell('Iris demo: the project `frontend` asks the project `backend`.\n')
  const run = runDemo({
    live,
    env,
    bridge: { command: process.execPath, args: [mainFile, 'mcp'] },
    startDaemon: (home, environment) => ensureDaemon({ home, env: environment }),
    stopDaemon: stopDaemonNow,
    say: tell,
    signal: left.signal,
  })
  try {
    const outcome = await run
    if (json) sayJson({ live, ...outcome })
    return undefined
  } catch (error) {
    if (signal !== 'SIGINT' || !(error instanceof IrisError)) throw error
    if (json) sayJson({ error })
    note(refusalText(error))
    return interrupted
  }
}

import { once } from 'node:events'
import { IrisError } from '../../../base/protocol/error.ts'
import { runChatDemo } from '../../demo/chat-demo.ts'
import { runClusterDemo } from '../../demo/cluster-demo.ts'
import { type DemoParts, runDemo } from '../../demo/demo.ts'
import { Guard } from '../../demo/guard.ts'
import { runInsightDemo } from '../../demo/insight-demo.ts'
import { ensureDaemon, stopDaemonNow } from '../daemon-control.ts'
import { interrupted } from '../exit-code.ts'
import { nodeArguments } from '../spawn-daemon.ts'
import type { Given } from '../table/spec.ts'

/** Three hosts on this machine, joined by a nats-server. */
export function clusterDemo(given: Given): Promise<number | undefined> {
  const title =
    'Iris cluster demo: a team of one host asks a team that lives on two others, and one of these is killed.\n'
  return play(given, title, async (parts) => {
    const outcome = await runClusterDemo(parts)
    const end = 'Every message was accepted once, executed once and answered once. The files are in'
    return { outcome, end: `${end} ${outcome.directory}.` }
  })
}

/** Runs the main demo on two sample projects, runs a chat against a double of Telegram, or shows the Insight page. */
export function demo(given: Given): Promise<number | undefined> {
  if (given.options['channels'] === true) {
    return play(given, 'Iris channels demo: somebody writes to a bot, and a team answers.\n', async (parts) => {
      const outcome = await runChatDemo(parts)
      const end = `\nThe files are in ${outcome.directory}. With a bot of your own: docs/guide/telegram.md.`
      return { outcome, end }
    })
  }
  if (given.options['insight'] === true) {
    return play(given, 'Iris insight demo: what Iris finds in an invented week of messages.\n', async (parts) => {
      // Programs read the outcome; a person looks at the page.
      const stay = given.json ? async (): Promise<void> => {} : () => seen(parts)
      const outcome = await runInsightDemo({ ...parts, stay })
      return { outcome, end: `The files are in ${outcome.directory}.` }
    })
  }
  const live = given.options['live'] === true
  return play(given, 'Iris demo: the project `frontend` asks the project `backend`.\n', async (parts) => ({
    outcome: { live, ...(await runDemo({ ...parts, live })) },
  }))
}

/** Resolves on Ctrl-C, once the person has seen enough. */
async function seen({ say: tell, signal }: Pick<DemoParts, 'say' | 'signal'>): Promise<void> {
  tell('\nCtrl-C ends it.')
  if (!signal.aborted) await once(signal, 'abort')
}

interface Played {
  /** What `--json` prints. */
  readonly outcome: object
  readonly end?: string
}

/** Ends everything that the demo started, on Ctrl-C too. */
async function play(
  { context, env, json, refusalText }: Given,
  title: string,
  run: (parts: Omit<DemoParts, 'live'>) => Promise<Played>,
): Promise<number | undefined> {
  const left = new AbortController()
  let signal: NodeJS.Signals | undefined
  const interrupt = (by: NodeJS.Signals): void => {
    signal ??= by
    if (!left.signal.aborted) context.note('Interrupted: ending everything that was started.')
    left.abort()
  }
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) context.onSignal(each, interrupt)
  const tell = (text: string): void => (json ? context.note(text) : context.say(text))
  tell(title)
  using guard = new Guard()
  const watch = (pid: number): void => guard.watch(pid)
  try {
    const { outcome, end } = await run({
      env,
      // The guard watches the bridge too, because a bridge that finds no daemon starts one.
      bridge: { command: process.execPath, args: nodeArguments('mcp'), onSpawn: watch },
      guard,
      startDaemon: async (home, environment) => {
        guard.watchAllOf(home)
        const daemon = await ensureDaemon({ home, env: environment })
        watch(daemon.pid)
        return daemon
      },
      stopDaemon: stopDaemonNow,
      say: tell,
      signal: left.signal,
    })
    if (json) context.sayJson(outcome)
    else if (end !== undefined) context.say(end)
    return undefined
  } catch (error) {
    if (signal !== 'SIGINT' || !(error instanceof IrisError)) throw error
    if (json) context.sayJson({ error })
    context.note(refusalText(error))
    return interrupted
  }
}

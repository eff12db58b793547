import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, homePaths, irisHome } from '../../../platform/config/home.ts'
import type { Given } from '../command/spec.ts'
import { ensureDaemon } from '../daemon-control.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { note, say, sayJson } from '../say.ts'

const answerMs = 10_000
const Link = z.object({ path: z.string(), expiresInMs: z.number() })

/** Prints a link that logs one browser in, and opens it where there is a browser; starts the daemon when none runs. */
export async function dashboard({ env, options, json }: Given): Promise<void> {
  const { open = true } = options as { open?: boolean }
  refuseInsideAgent(env, "open its owner's dashboard")
  const home = irisHome(env)
  const daemon = await ensureDaemon({ home, env })
  const { path, expiresInMs } = await linkOf(daemon, home)
  const url = `${daemon.url}${path}`
  if (json) return sayJson({ url, expiresInMs })
  say(url)
  const opener = open ? openerOf(env) : undefined
  note(`${opener ? 'Opening it in your browser.' : 'Open it in a browser.'} It works once, within a minute.`)
  if (opener) await openIn(opener, url)
}

async function linkOf({ url, owner }: FoundDaemon, home: string): Promise<z.output<typeof Link>> {
  if (owner === undefined) {
    const what = `The owner's credential cannot be read: ${homePaths(home).owner}.`
    throw new IrisError('not_allowed', what, 'Run it as the user who owns this Iris, outside every agent.')
  }
  const headers = { authorization: `Bearer ${owner}` }
  const answer = await fetch(`${url}/login/codes`, { method: 'POST', headers, signal: AbortSignal.timeout(answerMs) })
  const link = Link.safeParse(await answer.json())
  if (link.success) return link.data
  const what = `The daemon makes no link (HTTP ${answer.status}).`
  throw new IrisError('daemon_unreachable', what, 'Stop it with "iris stop", then run this again.')
}

/** The program that opens a URL; undefined without a display. */
function openerOf(env: Environment): string | undefined {
  const isMac = process.platform === 'darwin'
  if (!isMac && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return undefined
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => directory.startsWith('/'))
  return directories.map((directory) => join(directory, isMac ? 'open' : 'xdg-open')).find(existsSync)
}

/** Starts the program so that it outlives this command, without output. */
async function openIn(opener: string, url: string): Promise<void> {
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.unref()
  await once(child, 'spawn').catch(() => note(`${opener} could not be started: open the link yourself.`))
}

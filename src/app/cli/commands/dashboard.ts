import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { z } from 'zod'
import { sendForJson } from '../../../adapters/client/send.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, homePaths, irisHome } from '../../../platform/config/home.ts'
import type { CommandContext } from '../context.ts'
import { ensureDaemon } from '../daemon-control.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import type { Given } from '../table/spec.ts'

const answerMs = 10_000
const Link = z.object({ path: z.string(), url: z.string().optional(), expiresInMs: z.number() })
const Refused = z.object({ error: z.object({ code: z.string(), message: z.string(), remedy: z.string() }) })

/** Prints a link that logs one browser in, and opens it where there is a browser; starts the daemon when none runs. */
export async function dashboard({ context, env, options, json }: Given): Promise<void> {
  const { open = true, public: isPublic = false } = options as { open?: boolean; public?: boolean }
  refuseInsideAgent(env, "open its owner's dashboard")
  const home = irisHome(env)
  const daemon = await ensureDaemon({ home, env, spawn: context.spawnDaemon })
  const {
    path,
    expiresInMs,
    url = `${daemon.url}${path}`,
  } = await linkOf(daemon, home, isPublic ? { for: 'public' } : {})
  if (json) return context.sayJson({ url, expiresInMs })
  context.say(url)
  if (isPublic) return context.note(carried)
  const opener = open ? openerOf(env) : undefined
  context.note(`${opener ? 'Opening it in your browser.' : 'Open it in a browser.'} It works once, within a minute.`)
  if (opener) await openIn(context, opener, url)
}

/** Prints a link that lets another person chat in a browser, with the rights of a role. */
export async function login({ context, env, options, json }: Given): Promise<void> {
  const { name, role, public: isPublic = false } = options as { name?: string; role?: string; public?: boolean }
  if (name === undefined)
    throw new IrisError('invalid_input', 'A login for another person needs a name.', 'Add --name, such as --name ana.')
  refuseInsideAgent(env, 'make a login')
  const home = irisHome(env)
  const daemon = await ensureDaemon({ home, env, spawn: context.spawnDaemon })
  const query = { name, ...(role !== undefined && { role }), ...(isPublic && { for: 'public' }) }
  const { path, expiresInMs, url = `${daemon.url}${path}` } = await linkOf(daemon, home, query)
  if (json) return context.sayJson({ url, expiresInMs })
  context.say(url)
  const until = isPublic ? 'ten minutes' : 'a minute, in a browser on this machine'
  context.note(
    `${name} can sign in with it once, within ${until}. "iris login list" shows who is signed in, "iris login revoke" signs them out.`,
  )
}

const carried =
  'Open it in the browser of the other machine. It works once, within ten minutes. "iris login list" lists who is signed in.'

async function linkOf(
  { url, owner }: FoundDaemon,
  home: string,
  query: Readonly<Record<string, string>>,
): Promise<z.output<typeof Link>> {
  if (owner === undefined) {
    const what = `The owner's credential cannot be read: ${homePaths(home).owner}.`
    throw new IrisError('not_allowed', what, 'Run it as the user who owns this Iris, outside every agent.')
  }
  const headers = { authorization: `Bearer ${owner}` }
  const { status, body } = await sendForJson(`${url}/login/codes?${new URLSearchParams(query).toString()}`, {
    method: 'POST',
    headers,
    signal: AbortSignal.timeout(answerMs),
  })
  const link = Link.safeParse(body)
  if (link.success) return link.data
  const refused = Refused.safeParse(body).data?.error
  if (refused?.code === 'invalid_input' || refused?.code === 'not_found')
    throw new IrisError(refused.code, refused.message, refused.remedy)
  const what = `The daemon did not make a link (HTTP ${status}).`
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
async function openIn(context: CommandContext, opener: string, url: string): Promise<void> {
  const child = spawn(opener, [url], { env: context.env, stdio: 'ignore', detached: true })
  child.unref()
  await once(child, 'spawn').catch(() => context.note(`${opener} could not be started: open the link yourself.`))
}

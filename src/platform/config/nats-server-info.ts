import { connect } from 'node:net'
import { z } from 'zod'

const Info = z.object({
  version: z.string(),
  jetstream: z.boolean().default(false),
  max_payload: z.int(),
  tls_required: z.boolean().default(false),
  tls_available: z.boolean().default(false),
  auth_required: z.boolean().default(false),
})
/** The information that a NATS server sends to every client. */
export type ServerInfo = z.output<typeof Info>

const usualPort = 4222
const maxBytes = 64 * 1024

/** Whether only programs on this machine can reach the server at this address. */
export function isOnLoopback(url: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)
}

/** The servers among these that answer, require no login, and can be reached from other machines. */
export async function serversWithoutUsers(urls: readonly string[], withinMs: number): Promise<readonly string[]> {
  const others = urls.filter((url) => URL.canParse(url) && !isOnLoopback(url))
  const infos = await Promise.all(others.map((url) => serverInfo(url, withinMs)))
  return others.filter((_url, at) => infos[at]?.auth_required === false)
}

/**
 * Since 2.10, a server can write each message to disk before it confirms it. Earlier servers refuse to start with that
 * setting.
 */
export function canSyncAlways(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 10)
}

/** Undefined if nothing answers there in time, or if the answer is not that of a NATS server. */
export function serverInfo(url: string, withinMs: number): Promise<ServerInfo | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usualPort : Number(port) })
    const done = (info: ServerInfo | undefined): void => {
      socket.destroy()
      resolve(info)
    }
    let said = ''
    socket.setTimeout(withinMs, () => done(undefined))
    socket.on('error', () => done(undefined))
    socket.on('close', () => done(undefined))
    socket.on('data', (bytes) => {
      said += bytes.toString()
      const end = said.indexOf('\r\n')
      if (end !== -1) done(infoOf(said.slice(0, end)))
      else if (said.length > maxBytes) done(undefined)
    })
  })
}

function infoOf(line: string): ServerInfo | undefined {
  try {
    const parsed = Info.safeParse(JSON.parse(line.replace(/^INFO\s+/, '')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

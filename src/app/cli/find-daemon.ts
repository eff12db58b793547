import type { Endpoint } from '../../adapters/client/exchange.ts'
import { send } from '../../adapters/client/send.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { isAlive } from '../../base/lib/process-alive.ts'
import { processStart } from '../../base/lib/process-start.ts'
import { type DaemonFile, daemonFileIn, fitsSocket } from '../../base/protocol/daemon.ts'
import { homePaths } from '../../platform/config/home.ts'
import { homeMark, isMarked } from '../../platform/config/home-mark.ts'

export interface FoundDaemon extends DaemonFile {
  readonly url: string
  /** Its MCP endpoint, for programs. */
  readonly mcp: Endpoint
  /** Path of its Unix socket, for programs; the socket may be missing. */
  readonly socketPath?: string | undefined
  /** The owner's credential; undefined where it cannot be read. */
  readonly owner: string | undefined
}

const healthMs = 2000

/** The daemon of this IRIS_HOME, if it is alive and answers. */
export async function findDaemon(home: string): Promise<FoundDaemon | undefined> {
  const daemon = knownDaemon(home)
  return daemon !== undefined && (await answers(daemon.url)) ? daemon : undefined
}

/** The daemon of this IRIS_HOME, if its process is alive; it may be too busy to answer. */
export function knownDaemon(home: string): FoundDaemon | undefined {
  const paths = homePaths(home)
  const file = ownFile(paths)
  if (file === undefined || !isRunning(file)) return undefined
  // Without a token, the daemon is still returned: it refuses calls and says why, and a second daemon could not start
  // anyway.
  const token = readToken(paths.token) ?? ''
  const url = `http://127.0.0.1:${file.port}`
  const socketPath = fitsSocket(paths.socket) ? paths.socket : undefined
  return { ...file, url, mcp: { url: `${url}/mcp`, token }, socketPath, owner: readToken(paths.owner) }
}

/**
 * Whether the last daemon of this IRIS_HOME ended without being stopped, for example by a crash, `kill -9` or a lack of
 * memory.
 */
export function hasDied(home: string): boolean {
  const file = ownFile(homePaths(home))
  return file !== undefined && file.isStopping !== true && !isRunning(file)
}

/**
 * The daemon's file, if it belongs to this home. A copy of the home contains it too, but commands in the copy must not
 * reach the original's daemon.
 */
function ownFile({ daemonFile, lock }: ReturnType<typeof homePaths>): DaemonFile | undefined {
  const file = daemonFileIn(read(daemonFile) ?? '')
  if (file?.home === undefined || homeMark(lock) === undefined) return file
  return isMarked(lock, { mark: file.home, directory: file.homeDirectory }) ? file : undefined
}

/** A killed daemon leaves its file. Another program may have its pid and port by now, and must not get the token. */
function isRunning({ pid, processStart: startedAt }: DaemonFile): boolean {
  return isAlive(pid) && (startedAt === undefined || startedAt === processStart(pid))
}

/** A bearer token; undefined before the first start of a daemon, and for a text that no header can carry. */
export function readToken(path: string): string | undefined {
  const text = read(path)?.trim()
  return text !== undefined && /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await send(`${url}/health`, { signal: AbortSignal.timeout(healthMs) })
    // The body is read, so that the next request can reuse the connection.
    answer.resume()
    return answer.statusCode === 200
  } catch {
    return false
  }
}

function read(path: string): string | undefined {
  try {
    return plainFile(path)
  } catch {
    return undefined
  }
}

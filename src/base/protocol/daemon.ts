/** The bridge's real working directory, URI-encoded: says as which team it speaks. */
export const projectDirectoryHeader = 'iris-project-directory'

/** The tag of the agent in which a bridge or a command was started; the daemon looks for itself where it can. */
export const processTagHeader = 'iris-process'

/** Where in `_meta` a bridge that may have to repeat a call puts the key that makes the repetition the same call. */
export const idempotencyMeta = 'iris/idempotencyKey'

/** What the kernel takes as the path of a Unix socket, in bytes: 107 on Linux, 103 on macOS; a longer one is cut short silently. */
const longestSocketPath = 103

export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= longestSocketPath
}

/** The first line of a program on the daemon's Unix socket; after it come messages of MCP. */
export interface DaemonHello {
  /** The credential of programs. */
  readonly token: string
  /** Real path of the directory whose team speaks; absent: nobody's. */
  readonly directory?: string | undefined
}

/** Undefined for what is none. */
export function helloIn(line: string): DaemonHello | undefined {
  try {
    const { token, directory } = JSON.parse(line) as Record<keyof DaemonHello, unknown>
    const isWhole = typeof token === 'string' && (directory === undefined || typeof directory === 'string')
    return isWhole ? { token, directory } : undefined
  } catch {
    return undefined
  }
}

/** What it is answered with; who is not let in is hung up on. */
export const daemonWelcome = '{"iris":"welcome"}\n'

/** `$IRIS_HOME/daemon.json`: where the running daemon is to be found. */
export interface DaemonFile {
  readonly port: number
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly version: string
  /** Which process of that pid it is, see `lib/process-start.ts`; absent without /proc. */
  readonly processStart?: string
}

/** Undefined for what is no such file. Every command reads it first, so without zod, which loads longer than all the rest. */
export function daemonFileIn(text: string): DaemonFile | undefined {
  try {
    const { port, pid, startedAt, version, processStart } = JSON.parse(text) as Record<keyof DaemonFile, unknown>
    const isWhole = [port, pid, startedAt].every(Number.isFinite) && typeof version === 'string'
    if (!isWhole) return undefined
    return { port, pid, startedAt, version, ...(typeof processStart === 'string' && { processStart }) } as DaemonFile
  } catch {
    return undefined
  }
}

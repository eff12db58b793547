/** The bridge's real working directory, URI-encoded. It decides for which team the bridge calls. */
export const projectDirectoryHeader = 'iris-project-directory'

/** The process tag that a bridge or a command inherited. Where it can, the daemon also inspects the process itself. */
export const processTagHeader = 'iris-process'

/**
 * The share of calls that a command or a bridge uses, as `shareText` makes it. It proves that its process can read the
 * owner's credential, so that no other program can use up that share. It gives no rights.
 */
export const shareHeader = 'iris-share'

/** Key of `_meta` in which a bridge puts an idempotency key, so that it can safely repeat the call. */
export const idempotencyMeta = 'iris/idempotencyKey'

/** Key of `_meta` in which a bridge names the session that it serves, so that late answers go there. */
export const consoleMeta = 'iris/console'

/** Longest path of a Unix socket in bytes: 107 on Linux, 103 on macOS. The kernel cuts a longer path silently. */
const maxSocketPath = 103

export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= maxSocketPath
}

/** Key of `_meta` with which a command of Iris asks for a whole answer. Other answers fit into a model's context. */
export const wholeMeta = 'iris/whole'

/** The first line that a program sends on the home socket; MCP messages follow. */
export interface DaemonHello {
  /** The programs' credential. */
  readonly token: string
  /** See `shareHeader`. */
  readonly share?: string | undefined
  /** Real path of the directory of the calling team. Absent if the program calls for no team. */
  readonly directory?: string | undefined
}

/** Undefined if the line is not a hello. */
export function helloIn(line: string): DaemonHello | undefined {
  try {
    const { token, directory, share } = JSON.parse(line) as Record<keyof DaemonHello, unknown>
    const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'
    return typeof token === 'string' && isText(directory) && isText(share) ? { token, directory, share } : undefined
  } catch {
    return undefined
  }
}

/** The daemon's answer to a hello. It closes the connection of a program that it refuses. */
export const daemonWelcome = '{"iris":"welcome"}\n'

/** `$IRIS_HOME/daemon.json`: how to reach the running daemon. */
export interface DaemonFile {
  readonly port: number
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly version: string
  /** When the process started, which detects a reused pid; see `lib/process-start.ts`. Absent without /proc. */
  readonly processStart?: string
  /**
   * The home it belongs to, see `config/home-mark.ts`: a copy of the home also contains a copy of this file. Absent if
   * an older Iris wrote the file.
   */
  readonly home?: string
  /**
   * The same for a directory in the home. This value differs in a copy made of hard links. Absent if an older Iris
   * wrote the file.
   */
  readonly homeDirectory?: string
  /** The daemon was asked to stop. A file without this field whose process has ended was left by a daemon that died. */
  readonly isStopping?: true
}

/**
 * Undefined if the text is not that of a daemon file. Parsed without zod, because every command reads this file first
 * and zod loads slowly.
 */
export function daemonFileIn(text: string): DaemonFile | undefined {
  try {
    const read = JSON.parse(text) as Record<keyof DaemonFile, unknown>
    const { port, pid, startedAt, version, processStart, home, homeDirectory, isStopping } = read
    const isWhole = [port, pid, startedAt].every(Number.isFinite) && typeof version === 'string'
    // A signal to process 0 would go to the sender's whole process group, and a signal to -1 to every process.
    if (!isWhole || !((pid as number) > 0)) return undefined
    const marks = {
      ...(typeof processStart === 'string' && { processStart }),
      ...(typeof home === 'string' && { home }),
      ...(typeof homeDirectory === 'string' && { homeDirectory }),
      ...(isStopping === true && { isStopping }),
    }
    return { port, pid, startedAt, version, ...marks } as DaemonFile
  } catch {
    return undefined
  }
}

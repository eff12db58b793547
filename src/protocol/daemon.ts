/** The bridge's real working directory, URI-encoded: says as which team it speaks. */
export const projectDirectoryHeader = 'iris-project-directory'

/** The mark of the agent in which a bridge or a command was started; the daemon looks for itself where it can. */
export const processMarkHeader = 'iris-process'

/** Where in `_meta` a bridge that may have to repeat a call puts the key that makes the repetition the same call. */
export const idempotencyMeta = 'iris/idempotencyKey'

/** `$IRIS_HOME/daemon.json`: where the running daemon is to be found. */
export interface DaemonFile {
  readonly port: number
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly version: string
}

/** Undefined for what is no such file. Every command reads it first, so without zod, which loads longer than all the rest. */
export function daemonFileIn(text: string): DaemonFile | undefined {
  try {
    const { port, pid, startedAt, version } = JSON.parse(text) as Record<keyof DaemonFile, unknown>
    const isWhole = [port, pid, startedAt].every(Number.isFinite) && typeof version === 'string'
    return isWhole ? ({ port, pid, startedAt, version } as DaemonFile) : undefined
  } catch {
    return undefined
  }
}

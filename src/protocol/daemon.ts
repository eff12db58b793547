import { z } from 'zod'

/** The bridge's real working directory, URI-encoded: says as which team it speaks. */
export const projectDirectoryHeader = 'iris-project-directory'

/** The mark of the agent in which a bridge or a command was started; the daemon looks for itself where it can. */
export const processMarkHeader = 'iris-process'

/** Where in `_meta` a bridge that may have to repeat a call puts the key that makes the repetition the same call. */
export const idempotencyMeta = 'iris/idempotencyKey'

/** `$IRIS_HOME/daemon.json`: where the running daemon is to be found. */
export const DaemonFile = z.object({
  port: z.number().int(),
  pid: z.number().int(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  version: z.string(),
})
export type DaemonFile = z.infer<typeof DaemonFile>

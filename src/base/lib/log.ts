import { pino } from 'pino'
import { Secrets } from './secrets.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** One JSON line a call: level, context, message, ISO timestamp, and the ids given. */
export interface Log {
  debug(message: string, ids?: Record<string, unknown>): void
  info(message: string, ids?: Record<string, unknown>): void
  warn(message: string, ids?: Record<string, unknown>): void
  error(message: string, ids?: Record<string, unknown>): void
  /** The same log speaking as another part, say `process:alpha`. */
  for(context: string): Log
}

export interface Said {
  readonly level: LogLevel
  /** The part that speaks. */
  readonly context: string
  readonly message: string
  readonly ids: Readonly<Record<string, unknown>>
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number
}

export interface LogOptions {
  /** What has at least this level goes to stderr: stdout belongs to MCP when Iris is a stdio server. Asked at every line. */
  readonly least: () => LogLevel
  /** Gets every level. */
  readonly keep?: (said: Said) => void
  /** Neither gets a secret that is known or looks like one. */
  readonly secrets?: Secrets
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** Also writes at once what waits to be written. */
export type RootLog = Log & { flush(): void }

/**
 * A line is made once whoever caused it has gone on: after the work of the current tick, together with the others of it.
 * Warnings and errors are written at once, after what waits, so that the order holds and a crash loses none.
 */
export function createLog({ least, keep = () => {}, secrets = new Secrets(), now = Date.now }: LogOptions): RootLog {
  const root = pino(
    {
      ...{ level: 'debug', base: null, messageKey: 'message', timestamp: false },
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  )
  let waiting: Required<Said>[] = []
  const write = ({ level, context, at, ...said }: Required<Said>): void => {
    const [message, ids] = [secrets.hideInText(said.message), secrets.hideIn(said.ids)]
    keep({ level, context, at, message, ids })
    if (logLevels.indexOf(level) < logLevels.indexOf(least())) return
    root[level]({ timestamp: new Date(at).toISOString(), context, ...ids }, message)
  }
  const flush = (): void => {
    const lines = waiting
    waiting = []
    for (const line of lines) write(line)
  }
  const speakAs = (context: string): Log => {
    const sayAt =
      (level: LogLevel) =>
      (message: string, ids: Record<string, unknown> = {}): void => {
        waiting.push({ level, context, message, ids, at: now() })
        if (level === 'warn' || level === 'error') flush()
        else if (waiting.length === 1) setImmediate(flush)
      }
    return { debug: sayAt('debug'), info: sayAt('info'), warn: sayAt('warn'), error: sayAt('error'), for: speakAs }
  }
  return { ...speakAs('iris'), flush }
}

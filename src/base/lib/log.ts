import { pino } from 'pino'
import { Secrets } from './secrets.ts'

/** Each call writes one JSON line: level, context, message, ISO timestamp and the given ids. */
export interface Log {
  debug(message: string, ids?: Record<string, unknown>): void
  info(message: string, ids?: Record<string, unknown>): void
  warn(message: string, ids?: Record<string, unknown>): void
  error(message: string, ids?: Record<string, unknown>): void
  /** The same log with another context, such as `process:alpha`. */
  for(context: string): Log
}

export type LogLevel = Exclude<keyof Log, 'for'>

export interface Said {
  readonly level: LogLevel
  /** The part of Iris that logs, such as `pool`. */
  readonly context: string
  readonly message: string
  readonly ids: Readonly<Record<string, unknown>>
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number
}

export interface LogOptions {
  /**
   * Returns the lowest level that goes to stderr; called for each entry. Nothing goes to stdout, which carries MCP in a
   * stdio server.
   */
  readonly least: () => LogLevel
  /** Receives entries of every level. */
  readonly keep?: (said: Said) => void
  /** Hides secrets, by value or by shape, from stderr and from `keep`. */
  readonly secrets?: Secrets
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** `flush` writes all pending entries at once. */
export type RootLog = Log & { flush(): void }

/**
 * Debug and info entries are written together after the current tick, so that logging does not delay the caller.
 * Warnings and errors are written at once, after the pending entries, so the order is kept and a crash loses no warning
 * or error.
 */
export function createLog({ least, keep = () => {}, secrets = new Secrets(), now = Date.now }: LogOptions): RootLog {
  const root = pino(
    {
      level: 'debug',
      base: null,
      messageKey: 'message',
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  )
  let waiting: Required<Said>[] = []
  const write = ({ level, context, at, ...said }: Required<Said>): void => {
    const [message, ids] = [secrets.hideInText(said.message), secrets.hideIn(said.ids)]
    keep({ level, context, at, message, ids })
    if (pino.levels.values[level]! < pino.levels.values[least()]!) return
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

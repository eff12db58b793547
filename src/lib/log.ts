import { pino, stdTimeFunctions } from 'pino'
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
}

/**
 * Writes to stderr what has at least this level, which is asked for at every line: stdout belongs to MCP when Iris is a
 * stdio server. `keep` gets every level. Neither gets a secret that is known or looks like one.
 */
export function createLog(least: () => LogLevel, keep: (said: Said) => void = () => {}, secrets = new Secrets()): Log {
  const root = pino(
    {
      level: 'debug',
      base: null,
      messageKey: 'message',
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"timestamp"'),
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  )
  const speakAs = (context: string): Log => {
    const logger = root.child({ context })
    const sayAt =
      (level: LogLevel) =>
      (message: string, ids: Record<string, unknown> = {}): void => {
        const said = { message: secrets.hideInText(message), ids: secrets.hideIn(ids) }
        keep({ level, context, ...said })
        if (logLevels.indexOf(level) >= logLevels.indexOf(least())) logger[level](said.ids, said.message)
      }
    return { debug: sayAt('debug'), info: sayAt('info'), warn: sayAt('warn'), error: sayAt('error'), for: speakAs }
  }
  return speakAs('iris')
}

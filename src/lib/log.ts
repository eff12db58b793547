import { pino, stdTimeFunctions } from 'pino'

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

/** Writes to stderr: stdout belongs to MCP when Iris is a stdio server. The level is asked for at every line. */
export function createLog(level: () => LogLevel): Log {
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
    const at =
      (own: LogLevel) =>
      (message: string, ids: Record<string, unknown> = {}) => {
        if (logLevels.indexOf(own) >= logLevels.indexOf(level())) logger[own](ids, message)
      }
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), for: speakAs }
  }
  return speakAs('iris')
}

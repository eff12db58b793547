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

/** Writes to stderr: stdout belongs to MCP when Iris is a stdio server. */
export function createLog(level: LogLevel): Log {
  const root = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"timestamp"'),
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  )
  const speakAs = (context: string): Log => {
    const logger = root.child({ context })
    return {
      debug: (message, ids = {}) => logger.debug(ids, message),
      info: (message, ids = {}) => logger.info(ids, message),
      warn: (message, ids = {}) => logger.warn(ids, message),
      error: (message, ids = {}) => logger.error(ids, message),
      for: speakAs,
    }
  }
  return speakAs('iris')
}

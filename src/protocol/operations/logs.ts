import { z } from 'zod'
import { logLevelNames } from '../log-entry.ts'
import { operation } from './operation.ts'
import { Timestamp } from './pair.ts'

const Level = z.enum(logLevelNames)

const Since = z.number().nonnegative().optional()

export const getLogs = operation({
  name: 'get_logs',
  routes: ['GET /api/logs'],
  title: "Read Iris's log",
  description:
    'Returns the latest entries of the log of this Iris since its start, the newest last: at most 10000 are kept, in memory. Secrets are left out.',
  access: 'program',
  input: z.object({
    logs_since: Since.describe('Only entries after this time, milliseconds since the epoch'),
    since: Since.describe('The same as logs_since'),
    storeName: z
      .string()
      .optional()
      .describe('Only what this part of Iris said, say "pool" or "process:backend". Default: all parts'),
    getAllStores: z.boolean().optional().describe('Also name the parts that have said something'),
    level: z
      .union([Level, z.array(Level)])
      .optional()
      .describe('One level: it and what is worse. A list: exactly those. Default: all; for iris logs: info'),
    team: z.string().optional().describe('Only entries about this team'),
    session: z.string().optional().describe('Only entries with this id, or one that begins so'),
    text: z.string().max(1000).optional().describe('Only entries with this in message or fields'),
    format: z.enum(['parsed', 'raw']).optional().describe('raw: one JSON line each, as in the log. Default parsed'),
    limit: z.number().int().min(1).max(10_000).optional().describe('At most so many, the newest. Default 200'),
  }),
  output: z.object({
    logs: z.array(
      z.union([
        z.string(),
        z.object({
          number: z.number().int().describe('Its place among all entries since the start'),
          timestamp: Timestamp,
          level: Level,
          context: z.string(),
          message: z.string(),
          ids: z.record(z.string(), z.unknown()),
        }),
      ]),
    ),
    logCount: z.number().int().describe('Entries returned'),
    matching: z.number().int().describe('Entries that fit, returned or not'),
    storeName: z.string().optional(),
    availableStores: z.array(z.object({ storeName: z.string(), logCount: z.number().int() })).optional(),
    query: z.object({
      since: z.number().optional(),
      team: z.string().optional().describe('Only entries about this team'),
      session: z.string().optional().describe('Only entries with this id, or one that begins so'),
      text: z.string().max(1000).optional().describe('Only entries with this in message or fields'),
      format: z.enum(['parsed', 'raw']),
      level: z.array(Level).describe('The levels that were looked for'),
    }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation, pageAnswer } from '../../../base/operation/operation.ts'
import { logLevels } from '../../../base/protocol/log-entry.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

const Level = z.enum(logLevels)

const Since = Instant.optional()

export const getLogs = operation({
  name: 'get_logs',
  routes: ['GET /api/logs'],
  title: "Read Iris's log",
  description: "Returns the latest entries of Iris's log since its start, the newest last. Secrets are left out.",
  access: 'program',
  input: z.object({
    logs_since: Since.describe('Only later entries'),
    since: Since.describe('The same as logs_since'),
    storeName: z.string().optional().describe('A part of Iris, such as pool. Default: all'),
    getAllStores: z.boolean().optional().describe('Also name the parts that have entries'),
    level: z
      .union([Level, z.array(Level)])
      .optional()
      .describe('One level: that level and above. A list: exactly those. Default: all; in iris logs: info'),
    team: z.string().optional().describe('About this team'),
    session: z.string().optional().describe('A session id, or its first characters'),
    text: z.string().max(1000).optional().describe('Text in the message or fields'),
    format: z.enum(['parsed', 'raw']).optional().describe('raw: JSON lines. Default parsed'),
    limit: z.number().int().min(1).max(10_000).optional().describe('1 to 10000. Default 200'),
  }),
  output: z.object({
    logs: z.array(
      z.union([
        z.string(),
        z.object({
          number: z.number().int().describe("Its number, counted from Iris's start"),
          timestamp: Timestamp,
          level: Level,
          context: z.string(),
          message: z.string(),
          ids: z.record(z.string(), z.unknown()),
        }),
      ]),
    ),
    logCount: z.number().int().describe('Entries returned'),
    matching: z.number().int().describe('All matching entries, returned or not'),
    storeName: z.string().optional(),
    availableStores: z.array(z.object({ storeName: z.string(), logCount: z.number().int() })).optional(),
    query: z.object({
      since: z.number().optional(),
      team: z.string().optional(),
      session: z.string().optional().describe('A session id, or its first characters'),
      text: z.string().max(1000).optional().describe('Text in the message or fields'),
      format: z.enum(['parsed', 'raw']),
      level: z.array(Level).describe('The levels that were searched'),
    }),
    timestamp: Timestamp,
  }),
  unlisted: ['since'],
  answer: { ...pageAnswer, narrow: 'Ask with a filter or a smaller limit.', keeps: 'last' },
  readOnly: true,
})

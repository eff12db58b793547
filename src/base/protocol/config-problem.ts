import { z } from 'zod'

/** One mistake in the configuration, with everything needed to correct it. */
export const ConfigProblem = z
  .object({
    file: z.string(),
    line: z.number().int().nullable().describe('Counted from 1; null if the problem concerns the whole file'),
    column: z.number().int().nullable().describe('Counted from 1'),
    key: z.string().describe('Such as teams.backend.grantPermission; empty if the problem concerns the whole file'),
    value: z.string().nullable().describe('As written; (hidden) if it may be a secret; null if there is none'),
    problem: z.string(),
    allowed: z.string().nullable(),
    remedy: z.string(),
  })
  .readonly()
export type ConfigProblem = z.infer<typeof ConfigProblem>

/** One key that a new configuration text would change. Neither value contains secrets. */
export const ConfigChange = z
  .object({
    key: z.string().describe('Such as settings.maxProcesses, or teams.backend for a whole team'),
    from: z.unknown().describe('As written, else the default; null where there was nothing'),
    to: z.unknown(),
    needsRestart: z.boolean().describe('Takes effect when Iris is started again'),
    dangerous: z.string().optional().describe('Why save_config refuses it; absent if it does not'),
  })
  .readonly()
export type ConfigChange = z.infer<typeof ConfigChange>

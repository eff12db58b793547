import { z } from 'zod'

/** How Iris rebuilt a damaged or lost store at this start. */
export const StoreRebuilt = z.object({
  why: z.string().describe('What was wrong with it'),
  setAside: z.string().nullable().describe('The file found in its place, which Iris kept; null if there was none'),
  sessions: z.number().int().describe('Conversations in the new store'),
  turns: z.number().int().describe('Messages in the new store'),
  inDoubt: z.number().int().describe('Messages whose end is not recorded; Iris does not send them again by itself'),
  unreadable: z.number().int().describe('Transcript files that could not be read'),
  foundAt: z.number().describe('When Iris began to rebuild it; milliseconds since the epoch'),
  at: z.number().describe('When it was rebuilt; milliseconds since the epoch'),
})
export type StoreRebuilt = z.infer<typeof StoreRebuilt>

/** The problems and repairs of the store; fields without news are absent. */
export const StoreView = z.object({
  damage: z.string().optional().describe('It is damaged and nothing can be written to it; restart Iris to repair it'),
  unrecordedEnds: z.number().int().describe('Ends of messages that are not in the store yet; Iris keeps trying'),
  rebuilt: StoreRebuilt.optional(),
  restored: z
    .object({
      why: z.string().describe('What had happened to its file'),
      setAside: z.string().nullable().describe('The file found in its place, which Iris kept; null if there was none'),
      at: z.number().describe('Milliseconds since the epoch'),
    })
    .optional()
    .describe('Its file was deleted or replaced while Iris ran, and was put back with all that was in it'),
})
export type StoreView = z.infer<typeof StoreView>

import { z } from 'zod'
import { Timestamp } from './session-view.ts'

/** The things that can be broken, most important first. */
export const brokenKinds = ['configuration', 'directory', 'machine', 'channel', 'account'] as const

/** Something that does not work now, as people see it on every page. */
export const Broken = z.object({
  kind: z.enum(brokenKinds),
  teams: z.array(z.string()).describe('The teams whose messages it stops'),
  since: Timestamp.optional(),
  until: Timestamp.optional().describe('For an account: when its limit ends, or its login is tried again'),
  what: z.string().describe('What does not work, in a sentence'),
  remedy: z.string().describe('What to do about it'),
})
export type Broken = z.infer<typeof Broken>

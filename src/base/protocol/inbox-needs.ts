import { z } from 'zod'

const count = z.number().int()

/** How many conversations need a person, by reason; `needOf` and what the owner put off decide. */
export const Needs = z.object({
  waiting: count.describe('An agent asks whether it may use a tool'),
  failed: count.describe('The last message failed, or the process cannot be started'),
  openElsewhere: count.describe('A person has it open in a terminal, and messages wait'),
  expired: count.describe('Nobody answered in time whether a tool may run'),
})
export type Needs = z.infer<typeof Needs>

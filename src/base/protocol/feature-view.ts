import { z } from 'zod'

/** A feature of the running Iris. */
export const FeatureView = z.object({
  name: z.string(),
  isOn: z.boolean().describe('The configuration makes use of it'),
  seams: z.array(z.string()).describe('Where it takes part in a message'),
  faults: z.number().int().describe('How often it failed since Iris started, and Iris continued without it'),
})
export type FeatureView = z.infer<typeof FeatureView>

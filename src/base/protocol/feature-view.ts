import { z } from 'zod'

/** A feature of the running Iris. */
export const FeatureView = z.object({
  name: z.string(),
  isOn: z.boolean().describe('The configuration makes use of it'),
  seams: z.array(z.string()).describe('At which points it takes part in handling a message'),
  faults: z.number().int().describe('How often it has failed since Iris started; Iris continued without it'),
})
export type FeatureView = z.infer<typeof FeatureView>

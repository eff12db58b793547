import { z } from 'zod'
import { hostName } from './cluster.ts'

/** Hosts that the inviting one knows, itself first. `signs`: what they announce without a signature is refused. */
export const InvitedHosts = z
  .array(z.object({ name: hostName, key: z.string().max(1000), signs: z.boolean() }))
  .max(1000)
export type InvitedHosts = z.output<typeof InvitedHosts>

/** The file with which another host joins. */
export const Invitation = z.object({
  servers: z.array(z.string()),
  name: z.string(),
  user: z.string(),
  password: z.string(),
  /** The certificate that signed those of the servers, PEM. */
  ca: z.string().optional(),
  /** Absent if an older Iris made the invitation. */
  hosts: InvitedHosts.optional(),
})
export type Invitation = z.output<typeof Invitation>

/** A thousand hosts fit in. */
export const maxInvitationBytes = 256 * 1024

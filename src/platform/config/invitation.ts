import { z } from 'zod'
import { hostName } from './cluster.ts'

/**
 * Hosts that the inviting host knows, beginning with itself. If `signs` is true, an unsigned announcement of that host
 * is refused.
 */
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
  /** The certificate that signed the servers' certificates, PEM. */
  ca: z.string().optional(),
  /** Absent if an older Iris made the invitation. */
  hosts: InvitedHosts.optional(),
})
export type Invitation = z.output<typeof Invitation>

/** The size limit of an invitation, enough for a thousand hosts. */
export const maxInvitationBytes = 256 * 1024

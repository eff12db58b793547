import { z } from 'zod'

/**
 * The name of a role, which limits what an asker may cause; see docs/guide/roles.md. It has no colon, because a colon
 * ends the role in a thread.
 */
export const RoleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a role is 1 to 32 small letters, digits, _ or -, and starts with a letter')

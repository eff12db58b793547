import type { Hono } from 'hono'
import type { AuthContext } from '../../kernel/call/call.ts'

/** Variables of a request after its credential was checked. */
export interface Env {
  Variables: {
    auth: AuthContext
    /** For a browser: aborted when its login ends. */
    loginOver?: AbortSignal
    /** For a request of the public address: that address. */
    publicUrl?: string
  }
}

export type Routes = Hono<Env>

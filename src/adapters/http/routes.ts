import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { AuthContext } from '../../kernel/call/call.ts'

/** Variables of a request after its credential was checked. */
export interface Env {
  /** Node's side of the request; absent where a test calls the app in its process. */
  Bindings: Partial<Pick<HttpBindings, 'incoming' | 'outgoing'>>
  Variables: {
    auth: AuthContext
    /** For a browser: aborted when its login ends. */
    loginOver?: AbortSignal
    /** For a request of the public address: that address. */
    publicUrl?: string
  }
}

/** The app, or a group of its routes. */
export type Routes = Hono<Env>

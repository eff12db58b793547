import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { AuthContext } from '../../kernel/call/call.ts'

/** What a request's handlers can read after its credential has been checked. */
export interface Env {
  /** Node's side of the request. Absent if a test calls the app within its own process. */
  Bindings: Partial<Pick<HttpBindings, 'incoming' | 'outgoing'>>
  Variables: {
    auth: AuthContext
    /** For a browser, or a program with its own token: aborted when the login or the token ends. */
    loginOver?: AbortSignal
    /** For a request to the public address: that address. */
    publicUrl?: string
  }
}

/** The app, or a group of its routes. */
export type Routes = Hono<Env>

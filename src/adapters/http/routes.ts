import type { Hono } from 'hono'
import type { Caller } from '../operations/call.ts'

/** Behind the endpoint each request has been let in as somebody. */
export interface Env {
  Variables: {
    caller: Caller
    /** Of a browser: aborted when it has signed out. */
    loginOver?: AbortSignal
  }
}

export type Routes = Hono<Env>

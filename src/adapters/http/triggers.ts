import { type Context, Hono } from 'hono'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Credentials } from './credentials.ts'
import { OpenRequests } from './open-requests.ts'
import { errorOf } from './problem.ts'
import type { Env, Routes } from './routes.ts'

type Taken =
  | { readonly what: 'accepted' | 'repeated'; readonly turnId: string }
  | { readonly what: 'leftOut' }
  | { readonly what: 'unusable'; readonly why: string }

/** Takes events from outside programs, whose credential is the secret of their trigger. */
export interface Incoming {
  has(name: string): boolean
  /** Resolves once the event's message is on disk. Throws `unauthorized`, and temporary errors with `retryAfterMs`. */
  take(
    name: string,
    received: { readonly header: (name: string) => string | undefined; readonly body: Uint8Array },
  ): Promise<Taken>
  dropped(name: string, why: 'tooLarge' | 'tooSlow' | 'crowded'): void
}

export interface TriggerRouteParts {
  readonly incoming: Incoming
  readonly credentials: Pick<Credentials, 'refuseHidden'>
  readonly clock: Clock
}

/** `POST /in/:name`. The route is the same on this machine and at the public address. */
export function createTriggers({ incoming, credentials, clock }: TriggerRouteParts): Routes {
  const routes: Routes = new Hono<Env>()
  const open = new OpenRequests(clock)
  routes.post('/in/:name', async (context) => {
    await credentials.refuseHidden(context)
    const name = context.req.param('name')
    const place = open.enter(name)
    try {
      // For an unknown trigger, the same number of bytes is read, but nothing is kept.
      const read = await place.read(context.req.raw, incoming.has(name))
      if ('dropped' in read) {
        incoming.dropped(name, read.dropped)
        return dropped(context, read.dropped)
      }
      const header = (header: string): string | undefined => context.req.header(header)
      return answer(context, await incoming.take(name, { header, body: read.body }))
    } catch (error) {
      // Every sender gets status 503 for a temporary failure, because many retry only after that status.
      if (error instanceof IrisError && error.retryAfterMs !== undefined) return withStatus(errorOf(error), 503)
      throw error
    } finally {
      place.leave()
    }
  })
  return routes
}

function answer(context: Context, taken: Taken): Response {
  if (taken.what === 'leftOut') return context.body(null, 204)
  if ('turnId' in taken) return context.json({ status: taken.what, turnId: taken.turnId }, 202)
  const error = new IrisError('invalid_input', `Iris cannot turn this event into a message: ${taken.why}.`, howTo)
  return withStatus(errorOf(error), 422)
}

const howTo = 'With "iris trigger test", the owner of this Iris can see what such an event becomes.'

const drops = {
  tooLarge: [413, 'message_too_long', 'An event can have at most 1 MiB.', 'Send less.'],
  tooSlow: [408, 'invalid_input', 'The event did not arrive within ten seconds.', 'Send it again.'],
  crowded: [503, 'no_free_process', 'Too many requests for this trigger are open.', 'Send it again.'],
} as const

/** The connection ends, because the rest of the request is not read. */
function dropped(context: Context, why: keyof typeof drops): Response {
  const [status, code, message, remedy] = drops[why]
  const retryAfterMs = why === 'crowded' ? 1000 : undefined
  context.env?.outgoing?.setHeader('connection', 'close')
  return withStatus(errorOf(new IrisError(code, message, remedy, { retryAfterMs })), status)
}

function withStatus(response: Response, status: number): Response {
  return new Response(response.body, { status, headers: response.headers })
}

import type { MiddlewareHandler } from 'hono'
import { actorOf } from '../operations/call.ts'
import type { Refusals } from '../operations/refusals.ts'
import { IrisError } from '../protocol/error.ts'
import type { Env } from './face.ts'

/** For what only the person who owns this Iris may do. */
export function ownerOnly(refusals: Refusals): MiddlewareHandler<Env> {
  return async ({ req, get }, next) => {
    const caller = get('caller')
    if (caller.kind === 'owner') return next()
    refusals.record({ actor: actorOf(caller), action: 'call.refused', subject: `${req.method} ${req.path}` })
    throw new IrisError(
      'not_allowed',
      `This is not for ${caller.kind}s.`,
      'Only the person who owns this Iris may do it, by the iris command in a terminal.',
    )
  }
}

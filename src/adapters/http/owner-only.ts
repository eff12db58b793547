import type { MiddlewareHandler } from 'hono'
import { IrisError } from '../../base/protocol/error.ts'
import { actorOf } from '../../kernel/call/principal.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Env } from './routes.ts'

/** Lets only the owner pass. Throws `not_allowed` for others, and audits the refusal. */
export function ownerOnly(refusals: Refusals): MiddlewareHandler<Env> {
  return async ({ req, get }, next) => {
    const { principal } = get('auth')
    if (principal.roles.includes('owner')) return next()
    refusals.record({ actor: actorOf(principal), action: 'call.refused', subject: `${req.method} ${req.path}` })
    throw new IrisError(
      'not_allowed',
      `This is not allowed for ${principal.kind}s.`,
      'Only the person who owns this Iris can do it, with the iris command in a terminal.',
    )
  }
}

/** The routes for a person with a chat login: those that the chat page calls, and logout. */
const forViewers = /^\/(api\/viewer(\/[a-z]+)?|logout)$/

/**
 * Refuses a viewer everything but the chat page's calls, before any route sees the request. Throws `not_allowed`, and
 * audits the refusal.
 */
export function chatOnly(refusals: Refusals): MiddlewareHandler<Env> {
  return async ({ req, get }, next) => {
    const { principal } = get('auth')
    if (principal.kind !== 'viewer' || forViewers.test(req.path)) return next()
    refusals.record({ actor: actorOf(principal), action: 'call.refused', subject: `${req.method} ${req.path}` })
    throw new IrisError('not_allowed', 'This login may only chat.', 'Ask the person who owns this Iris.')
  }
}

/** The routes for a program with its own token: the operations, which check rights at each call, and the stream. */
const forPrograms = /^\/(mcp|api(\/(?!viewer(\/|$)).*)?)$/

/** Like `chatOnly`, for a program with its own token. */
export function callsOnly(refusals: Refusals): MiddlewareHandler<Env> {
  return async ({ req, get }, next) => {
    const { principal } = get('auth')
    if (principal.kind !== 'named' || forPrograms.test(req.path)) return next()
    refusals.record({ actor: actorOf(principal), action: 'call.refused', subject: `${req.method} ${req.path}` })
    throw new IrisError(
      'not_allowed',
      'A token for a single program does not give access to this.',
      'Ask the person who owns this Iris.',
    )
  }
}

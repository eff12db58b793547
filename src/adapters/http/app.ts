import { Hono, type MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import type { Log } from '../../base/lib/log.ts'
import { maxOfMessage } from '../../base/protocol/attachment.ts'
import { IrisError, toIrisError } from '../../base/protocol/error.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { Config } from '../../platform/config/config.ts'
import { bodyNoLongerThan } from './body-limit.ts'
import type { Credentials } from './credentials.ts'
import type { Dashboard } from './dashboard/dashboard.ts'
import { isPublicHost, loopbackOnly, publicOnly, withApiHeaders } from './guard.ts'
import { callsOnly, chatOnly, ownerOnly } from './owner-only.ts'
import { errorOf, problemOf } from './problem.ts'
import type { Env, Routes } from './routes.ts'
import { type SessionEndpointParts, sessionEndpoint } from './session-endpoint.ts'
import { type Answers, signedAnswer } from './signed-answer.ts'

export interface AppParts extends SessionEndpointParts, ErrorParts {
  readonly answers: Answers
  readonly credentials: Credentials
  readonly api: Routes
  readonly triggers: Routes
  readonly metrics: Routes
  /** Why Iris currently accepts no messages. Empty if it accepts them. */
  readonly notReady: () => readonly string[]
  readonly dashboard: Dashboard
  readonly stop: () => void
  readonly newId: () => string
}

/** Identifies a request in its answer and in the log. */
const requestIdHeader = 'x-request-id'

/** The daemon's HTTP routes. Tests call them in-process, with a request and a response. */
export function createApp(parts: AppParts): Routes {
  const { answers, config, credentials, refusals, mcp, api, triggers, metrics, notReady, dashboard, log } = parts
  const { stop, newId } = parts
  const app: Routes = new Hono()
  const elsewhere = createPublicApp(parts)
  app.use(withApiHeaders, numbered(newId, log))
  app.use(async (context, next) => {
    const isPublic = isPublicHost(config().settings.publicUrl, context.req.header('host'))
    return isPublic ? elsewhere.fetch(context.req.raw, context.env) : next()
  })
  app.use(loopbackOnly)
  app.get('/health', (context) => context.json({ status: 'ok', version: irisVersion }))
  app.get('/ready', (context) => {
    const reasons = notReady()
    return reasons.length === 0
      ? context.json({ status: 'ready' })
      : context.json({ status: 'not ready', reasons }, 503)
  })
  app.all('/.well-known/*', (context) => context.json(noOAuth, 404))
  app.post('/permissions/:id/answer', ...signedAnswer(answers, credentials))
  app.route('/', triggers)
  const limited = withinLimits(config)
  app.route('/mcp', sessionEndpoint(parts, limited))
  app.route('/', dashboard.pages)
  app.use(...letIn(credentials, refusals))
  app.use(limited)
  app.all('/mcp', (context) => mcp(whileItCounts(context.req.raw, context.get('loginOver')), context.get('auth')))
  app.route('/', metrics)
  app.route('/', api)
  app.route('/', dashboard.calls)
  app.post('/stop', ownerOnly(refusals), (context) => {
    stop()
    return context.json({ status: 'stopping' })
  })
  return answeringErrors(app, log)
}

/** Gives each request of the API an id, which its answer and the log contain. */
function numbered(newId: () => string, log: Log): MiddlewareHandler<Env> {
  return async (context, next) => {
    const { method, path } = context.req
    if (!path.startsWith('/api/')) return next()
    const requestId = newId()
    context.env?.outgoing?.setHeader(requestIdHeader, requestId)
    await next()
    const { status } = context.res
    log[status >= 500 ? 'warn' : 'debug'](`http: ${method} ${path} ${status}`, { requestId })
  }
}

/** The request with a signal that also aborts when the request's token ends. */
function whileItCounts(request: Request, over: AbortSignal | undefined): Request {
  return over === undefined ? request : new Request(request, { signal: AbortSignal.any([request.signal, over]) })
}

interface ErrorParts {
  readonly config: () => Config
  readonly log: Log
}

/**
 * The routes for `settings.publicUrl`: the dashboard and what it calls, for signed-in browsers; the API, for programs
 * with a token for this address; and triggers. No other route exists here, and no other token is valid, because behind
 * a proxy Iris cannot see which process calls.
 */
function createPublicApp({ config, credentials, refusals, api, triggers, dashboard, log }: AppParts): Routes {
  const app: Routes = new Hono()
  app.use(publicOnly(() => config().settings.publicUrl))
  app.route('/', triggers)
  app.route('/', dashboard.pages)
  app.use(...letIn(credentials, refusals))
  app.use(withinLimits(config))
  // Compresses here only, because on this machine compression would only cost time.
  app.use('/api/*', compress())
  app.route('/', api)
  app.route('/', dashboard.calls)
  return answeringErrors(app, log)
}

/**
 * The routes for another machine, through a tunnel: only the session endpoints of the processes there. No other route
 * exists here, so no credential gives access to more.
 */
export function createTunnelApp(parts: Omit<SessionEndpointParts, 'peers'> & ErrorParts): Routes {
  const app: Routes = new Hono()
  app.use(withApiHeaders, loopbackOnly)
  app.all('/.well-known/*', (context) => context.json(noOAuth, 404))
  app.route('/mcp', sessionEndpoint(parts, withinLimits(parts.config)))
  return answeringErrors(app, parts.log)
}

/** Lets a caller in, but only to the routes that its kind may use. */
function letIn(
  credentials: Pick<AppParts['credentials'], 'letIn'>,
  refusals: AppParts['refusals'],
): [MiddlewareHandler, MiddlewareHandler, MiddlewareHandler] {
  return [
    async (context, next) => {
      await credentials.letIn(context)
      await next()
    },
    chatOnly(refusals),
    callsOnly(refusals),
  ]
}

function withinLimits(config: () => Config) {
  return bodyNoLongerThan(
    () => maxBodyBytes(config()),
    () => tooLong(config()),
  )
}

function answeringErrors(app: Routes, log: Log): Routes {
  app.notFound((context) => context.json(nothingHere, 404))
  app.onError((error, context) => {
    if (hasGone(error)) log.debug('http: a client disconnected in the middle of its request')
    else if (toIrisError(error).code === 'internal') log.error(`http: ${error.stack ?? error.message}`)
    return context.req.path.startsWith('/api') ? problemOf(error) : errorOf(error)
  })
  return app
}

/**
 * Whether the client went away. That is not logged as an error, because any process that connects could fill the log.
 */
function hasGone(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET'
}

/** MCP clients look for OAuth before they send the token that they have. */
const noOAuth = {
  error: {
    code: 'invalid_input',
    message: 'There is no OAuth here.',
    remedy: 'Send the bearer token that "iris token" prints.',
  },
}

const nothingHere = {
  error: {
    code: 'invalid_input',
    message: 'There is nothing at this address.',
    remedy: 'The MCP endpoint is /mcp.',
  },
}

/**
 * The largest accepted body, in bytes. As JSON, a message may take twice its length, and its files take a third more.
 * The rest of a request is small. A control character takes six bytes, so a message of the greatest length is refused
 * if more than a fifth of it are control characters: more room would let callers fill the memory.
 */
export function maxBodyBytes({ settings }: Config): number {
  return settings.maxMessageBytes * 2 + Math.ceil((maxOfMessage * 4) / 3) + 64 * 1024
}

function tooLong(config: Config): never {
  throw new IrisError(
    'message_too_long',
    `The request is larger than ${maxBodyBytes(config)} bytes, the limit for a message of ${config.settings.maxMessageBytes} bytes as JSON.`,
    'Put the content into a file and name the file, or raise settings.maxMessageBytes.',
  )
}

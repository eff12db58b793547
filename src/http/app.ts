import { Hono } from 'hono'
import type { Config } from '../config/config.ts'
import { teamOfDirectory } from '../config/team-of-directory.ts'
import type { Log } from '../lib/log.ts'
import type { McpEndpoint } from '../mcp/http.ts'
import type { Caller } from '../operations/call.ts'
import { projectDirectoryHeader } from '../protocol/daemon.ts'
import { type ErrorCode, IrisError, toIrisError } from '../protocol/error.ts'
import { irisVersion } from '../protocol/version.ts'
import { bodyNoLongerThan, loopbackOnly, needsToken } from './guard.ts'

export interface AppParts {
  readonly config: () => Config
  readonly token: string
  readonly mcp: McpEndpoint
  readonly log: Log
  readonly stop: () => void
}

/** The daemon's HTTP face. Callable in-process: a test is a request and a response. */
export function createApp({ config, token, mcp, log, stop }: AppParts): Hono {
  const app = new Hono()
  app.use(loopbackOnly)
  app.get('/health', (context) => context.json({ status: 'ok', version: irisVersion }))
  app.use(needsToken(token))
  app.use(
    bodyNoLongerThan(
      () => maxBodyBytes(config()),
      () => tooLong(config()),
    ),
  )
  app.all('/mcp', (context) => mcp(context.req.raw, callerOf(context.req.header(projectDirectoryHeader), config())))
  app.post('/stop', (context) => {
    stop()
    return context.json({ status: 'stopping' })
  })
  app.notFound(() => {
    throw new IrisError('invalid_input', 'There is nothing at this address.', 'The MCP endpoint is /mcp.')
  })
  app.onError((error, context) => {
    const told = toIrisError(error)
    const { code, retryAfterMs } = told
    if (code === 'internal') log.error(`http: ${error.stack ?? error.message}`)
    if (retryAfterMs !== undefined) context.header('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
    return context.json({ error: told.toJSON() }, statuses[code] ?? 400)
  })
  return app
}

/** As JSON a message may take twice its bytes; the rest of a request is small. */
function maxBodyBytes({ settings }: Config): number {
  return settings.maxMessageBytes * 2 + 64 * 1024
}

function tooLong({ settings }: Config): never {
  throw new IrisError(
    'message_too_long',
    `The request is larger than a message of ${settings.maxMessageBytes} bytes can be.`,
    'Put the content into a file and name the file, or raise settings.maxMessageBytes.',
  )
}

const statuses: Partial<Record<ErrorCode, 401 | 403 | 404 | 413 | 429 | 500 | 503>> = {
  message_too_long: 413,
  unauthorized: 401,
  not_allowed: 403,
  internal: 500,
  too_many_calls: 429,
  shutting_down: 503,
  store_unavailable: 503,
}

/** The bridge says where it was started; it speaks as the team that lives there. Everybody else is a program. */
function callerOf(directory: string | undefined, { teams }: Config): Caller {
  const team = directory === undefined ? undefined : teamOfDirectory(teams, decoded(directory))
  return { kind: 'program', party: team?.name, parent: undefined }
}

function decoded(directory: string): string {
  try {
    return decodeURIComponent(directory)
  } catch {
    throw new IrisError(
      'invalid_input',
      `The header ${projectDirectoryHeader} is not URI-encoded.`,
      'Encode the path with encodeURIComponent.',
    )
  }
}

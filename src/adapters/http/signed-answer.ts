import type { Context, MiddlewareHandler } from 'hono'
import { IrisError } from '../../base/protocol/error.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { bodyNoLongerThan } from './body-limit.ts'
import type { Credentials } from './credentials.ts'

/** Takes signed answers to forwarded questions. */
export interface Answers {
  /** Rejects with `unauthorized`, or with `invalid_input` if the body is signed but is not a valid answer. */
  readonly take: (
    permissionId: string,
    received: { readonly header: (name: string) => string | undefined; readonly body: Uint8Array<ArrayBuffer> },
  ) => Promise<{ readonly status: string; readonly permission: PermissionView }>
}

/** The handlers of the route, in their order. */
type Steps = readonly [MiddlewareHandler, (context: Context) => Promise<Response>]

const maxAnswerBytes = 16 * 1024

/**
 * `POST /permissions/:id/answer`: the answer to a forwarded question. Its signature is the credential, so it needs no
 * token. Status 409 means that the signature is valid, but the question was already decided or has ended.
 */
export function signedAnswer(answers: Answers, credentials: Pick<Credentials, 'refuseAgents'>): Steps {
  const limit = bodyNoLongerThan(() => maxAnswerBytes, tooLong)
  return [
    limit,
    async (context) => {
      await credentials.refuseAgents(context)
      const body = new Uint8Array(await context.req.arrayBuffer())
      const header = (name: string): string | undefined => context.req.header(name)
      const { status, permission } = await answers.take(context.req.param('id') ?? '', { header, body })
      const { permissionId, state, decidedBy } = permission
      return context.json({ status, permissionId, state, decidedBy }, status === 'answered' ? 200 : 409)
    },
  ]
}

function tooLong(): never {
  throw new IrisError(
    'message_too_long',
    `An answer can have at most ${maxAnswerBytes} bytes.`,
    'Send permissionId, inputHash, decision, and a short message if any.',
  )
}

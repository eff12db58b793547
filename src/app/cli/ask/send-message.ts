import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Unanswered } from '../../../adapters/client/exchange.ts'
import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { uuidOf } from '../../../base/lib/uuid-of.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { processTag } from '../inside-agent.ts'
import { NotStarted } from '../running-daemon.ts'
import { lookAgainMs, restartMs } from './over-restarts.ts'

type Message = Omit<Input<'send_message'>, 'timeout'>

/**
 * Sends a message and returns when Iris has accepted it. After a broken connection, sends it again for `patienceMs`;
 * its idempotency key makes all attempts one message. Throws `daemon_unreachable`, which says whether Iris may have
 * accepted the message, and the daemon's refusals.
 */
export async function sendMessage(
  context: CommandContext,
  message: Message,
  patienceMs = restartMs,
): Promise<Output<'send_message'>> {
  const idempotencyKey = message.idempotencyKey ?? randomUUID()
  let lostAt: number | undefined
  for (;;) {
    try {
      return await call(context, 'send_message', { ...message, idempotencyKey, timeout: -1 })
    } catch (error) {
      if (!(error instanceof IrisError) || error.code !== 'daemon_unreachable') throw error
      const isLast = error instanceof NotStarted
      const wasSent = error instanceof Unanswered && error.wasSent
      if (lostAt === undefined && !wasSent) throw notSent(error)
      lostAt ??= systemClock.elapsed()
      if (isLast || systemClock.elapsed() - lostAt > patienceMs)
        throw maybeAccepted(context, message, idempotencyKey, error)
    }
    await delay(lookAgainMs)
  }
}

function notSent(error: IrisError): IrisError {
  if (error instanceof Unanswered) return error
  return new IrisError(error.code, `${error.message} Nothing was sent.`, error.remedy, { cause: error })
}

function maybeAccepted(
  context: CommandContext,
  { fromTeam = 'external' }: Message,
  key: string,
  cause: IrisError,
): IrisError {
  const what = 'The connection to the daemon was lost and could not be restored. The message may have been accepted.'
  // Inside an agent the sender is the agent's team, which only the daemon knows.
  const isOwn = context.env[processTag] === undefined
  const remedy = isOwn
    ? `Run "iris start", then "iris result ${shortId(uuidOf(`${fromTeam}\0${key}`))}", which finds the message if it was accepted.`
    : 'Run "iris start", then look at "iris sessions".'
  return new IrisError('daemon_unreachable', what, remedy, { cause })
}

import { setTimeout as delay } from 'node:timers/promises'
import { request } from '../../../adapters/client/exchange.ts'
import type { JsonRpcMessage } from '../../../adapters/client/json-rpc.ts'
import { type Output, toolCall, toolResult } from '../../../adapters/client/tool-call.ts'
import { consoleMeta } from '../../../base/protocol/daemon.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import type { DaemonLink } from './daemon-link.ts'
import { HomeLines, shareOf } from './home-lines.ts'
import type { Inbox } from './inbox.ts'

export interface LateAnswersParts {
  readonly link: DaemonLink
  readonly inbox: Pick<Inbox, 'isOpen' | 'push'>
  /** The session, as its calls name it. */
  readonly console: string
  readonly directory: string | undefined
  readonly shareName: string
  readonly newId: () => string
}

const pauseMs = 2000
/** After a refusal: another version of the daemon may run later. */
const longPauseMs = 60_000

/**
 * Hands late answers to the session that asked: waits at the daemon until there are some, then pushes them. Lives over
 * restarts of the daemon and starts none. The token of the inbox never leaves this process.
 */
export async function pushLateAnswers(parts: LateAnswersParts, signal: AbortSignal): Promise<void> {
  const { link, inbox, newId } = parts
  const lines = new HomeLines({ ...parts, tag: undefined, send: () => {} })
  while (!signal.aborted) {
    try {
      const daemon = await link.whenRunning(signal)
      await collect(false, daemon, lines, parts, signal)
      // Taken answers count as pushed, so check first whether the session is there.
      if (await inbox.isOpen()) {
        const { pushes } = await collect(true, daemon, lines, parts, signal)
        for (const { text } of pushes) await inbox.push(newId(), text)
      } else await pause(longPauseMs, signal)
    } catch (error) {
      await pause(isLoss(error) ? pauseMs : longPauseMs, signal)
    }
  }
  await lines.close()
}

async function collect(
  take: boolean,
  daemon: FoundDaemon,
  lines: HomeLines,
  { link, console, directory, shareName, newId }: LateAnswersParts,
  signal: AbortSignal,
): Promise<Output<'late_answers'>> {
  const call = toolCall(newId(), 'late_answers', { take })
  const message = { ...call, params: { ...call.params, _meta: { [consoleMeta]: console } } }
  const connection = await lines.to(daemon)
  let answer: JsonRpcMessage
  try {
    answer = await (connection
      ? connection.request(message, signal)
      : request({ ...daemon.mcp, directory, share: shareOf(daemon, shareName) }, message, signal))
  } catch (error) {
    link.lost(daemon)
    throw error
  }
  return toolResult('late_answers', answer)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}

function isLoss(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'daemon_unreachable'
}

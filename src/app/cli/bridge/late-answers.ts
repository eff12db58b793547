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
  /** The name of the session that this bridge serves, which its calls carry too. */
  readonly console: string
  readonly directory: string | undefined
  readonly shareName: string
  readonly newId: () => string
}

const pauseMs = 2000
/**
 * The pause while the inbox is closed, and after a refusal, for example by an older daemon: a newer one may run later.
 */
const longPauseMs = 60_000

/**
 * Delivers late answers to the session that asked: the daemon reports when there are any, and this function pushes them
 * to the inbox. It continues after a daemon's restart, but never starts a daemon. The token of the inbox never leaves
 * this process.
 */
export async function pushLateAnswers(parts: LateAnswersParts, signal: AbortSignal): Promise<void> {
  const { link, inbox, newId } = parts
  const lines = new HomeLines({ ...parts, tag: undefined, send: () => {} })
  while (!signal.aborted) {
    try {
      const daemon = await link.whenRunning(signal)
      // Without `take` the call returns when there are answers, and leaves them at the daemon.
      await lateAnswers({ take: false }, daemon, lines, parts, signal)
      // Taken answers count as pushed, so first check that the session is still there.
      if (await inbox.isOpen()) {
        const { pushes } = await lateAnswers({ take: true }, daemon, lines, parts, signal)
        for (const { text } of pushes) await inbox.push(newId(), text)
      } else await pause(longPauseMs, signal)
    } catch (error) {
      await pause(isLoss(error) ? pauseMs : longPauseMs, signal)
    }
  }
  await lines.close()
}

async function lateAnswers(
  input: { readonly take: boolean },
  daemon: FoundDaemon,
  lines: HomeLines,
  { link, console, directory, shareName, newId }: LateAnswersParts,
  signal: AbortSignal,
): Promise<Output<'late_answers'>> {
  const call = toolCall(newId(), 'late_answers', input)
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

/** Whether the connection to the daemon was lost. */
function isLoss(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'daemon_unreachable'
}

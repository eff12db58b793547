import { openEventStream } from '../../adapters/client/daemon-stream.ts'
import { type FollowOptions, follow, type StreamFrame } from '../../adapters/client/event-stream.ts'
import type { Output } from '../../adapters/client/tool-call.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { processTagHeader } from '../../base/protocol/daemon.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { LivePiece, LiveTurn } from '../../base/protocol/live-turn.ts'
import { type Environment, irisHome } from '../../platform/config/home.ts'
import { findDaemon } from './find-daemon.ts'
import { processTag } from './inside-agent.ts'

/** An event of `GET /api/stream`, see docs/guide/api.md. */
export type StreamEvent =
  | (Output<'team_status'> & { readonly type: 'snapshot'; readonly turns: readonly LiveTurn[] })
  | LivePiece
  | PublishedEvent

/**
 * Yields a snapshot, then events until the signal aborts, also across restarts of the daemon. `query` selects events,
 * for example `turn=<id>`. Only the owner gets the permission questions; agents are refused.
 */
export async function* daemonEvents(
  env: Environment,
  query: string,
  signal: AbortSignal,
  onConnection?: FollowOptions['onConnection'],
): AsyncGenerator<StreamEvent> {
  for await (const { type, data } of daemonFrames(env, query, signal, onConnection)) {
    yield { ...(data as object), type } as StreamEvent
  }
}

/** The frames of the stream, whatever `query` selects. */
export function daemonFrames(
  env: Environment,
  query: string,
  signal: AbortSignal,
  onConnection?: FollowOptions['onConnection'],
): AsyncGenerator<StreamFrame, void> {
  const open: FollowOptions['open'] = async (after, until) => {
    // Looked up for each connection: after a restart the daemon may have another port.
    const daemon = await findDaemon(irisHome(env))
    if (daemon === undefined) throw new Error('no daemon')
    const tag = env[processTag]
    const token = (tag ? undefined : daemon.owner) ?? daemon.mcp.token
    const headers = { authorization: `Bearer ${token}`, ...(tag !== undefined && { [processTagHeader]: tag }) }
    return openEventStream(`${daemon.url}/api/stream?kept=false&${query}`, headers)(after, until)
  }
  return follow({ open, clock: systemClock, signal, ...(onConnection && { onConnection }) })
}

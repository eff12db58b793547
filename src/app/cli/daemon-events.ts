import { type FollowOptions, follow, openEventStream, type StreamFrame } from '../../adapters/client/event-stream.ts'
import type { Output } from '../../adapters/client/tool-call.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { processTagHeader } from '../../base/protocol/daemon.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { LivePiece, LiveTurn } from '../../base/protocol/live-turn.ts'
import { type Environment, irisHome } from '../../platform/config/home.ts'
import { findDaemon } from './find-daemon.ts'
import { processTag } from './inside-agent.ts'

/** What `GET /api/stream` tells, see docs/guide/api.md. */
export type StreamEvent =
  | (Output<'team_status'> & { readonly type: 'snapshot'; readonly turns: readonly LiveTurn[] })
  | LivePiece
  | PublishedEvent

/**
 * How things stand, then what happens, until the signal aborts; over a restart of the daemon too. `query` leaves out what is
 * not wanted, such as `turn=<id>`. To the owner of this Iris also the questions of agents; to agents nothing.
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

/** The same as it comes, whatever was asked for. */
export function daemonFrames(
  env: Environment,
  query: string,
  signal: AbortSignal,
  onConnection?: FollowOptions['onConnection'],
): AsyncGenerator<StreamFrame, void> {
  const open: FollowOptions['open'] = async (after, until) => {
    // Asked anew each time: another start may have another port.
    const daemon = await findDaemon(irisHome(env))
    if (daemon === undefined) throw new Error('no daemon')
    const tag = env[processTag]
    const token = (tag ? undefined : daemon.owner) ?? daemon.mcp.token
    const headers = { authorization: `Bearer ${token}`, ...(tag !== undefined && { [processTagHeader]: tag }) }
    return openEventStream(`${daemon.url}/api/stream?${query}`, headers)(after, until)
  }
  return follow({ open, clock: systemClock, signal, ...(onConnection && { onConnection }) })
}

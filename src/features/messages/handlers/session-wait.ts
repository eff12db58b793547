import type { z } from 'zod'
import { type Clock, every } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import type { Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { ClusterView } from '../../cluster/view.ts'
import type { sessionWait } from '../contract/session-wait.ts'
import { checkedTimeout, heldTimeout } from './wait.ts'

/** The dependencies of these operations. */
export interface SessionWaitParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Turns by their ids. */
  readonly turns: Turns
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
}

/** A waiting caller gets progress at least this often, or its client assumes that the connection is dead. */
const heartbeatMs = 15_000

/**
 * session_wait: returns when no conversation of the team has a message or is working on its own, or when the wait is
 * over.
 */
export async function waitForTeam(
  { team, timeout: wanted }: z.output<typeof sessionWait.input>,
  call: Call,
  { config, clock, sessions, turns, cluster }: SessionWaitParts,
): Promise<z.output<typeof sessionWait.output>> {
  const host = cluster.hosts.hostOf(cluster.hosts.resolve(team))
  if (host !== undefined)
    throw new IrisError(
      'invalid_input',
      `"${team}" is on ${host.name}, and only that host knows all its messages.`,
      'Run iris wait on that host, or collect the answer to your own message with message_status.',
    )
  knownTeam(team, config())
  const { signal, progress } = call
  const timeout = heldTimeout(checkedTimeout(wanted ?? config().settings.defaultTimeout), call)
  const open = (): readonly string[] => sessions.opened().flatMap(({ to, queue }) => (to === team ? queue : []))
  const over = new AbortController()
  const cancelTimer = timeout > 0 ? clock.after(timeout, () => over.abort()) : (): void => {}
  const until = AbortSignal.any([signal, over.signal])
  const gone = Promise.withResolvers<void>()
  until.addEventListener('abort', () => gone.resolve(), { once: true })
  const endHeartbeat = every(clock, heartbeatMs, () => progress({ message: `${team}: ${open().length} messages` }))
  try {
    while (timeout !== -1 && !until.aborted) {
      const [first] = open()
      const ownTurn = sessions.ownTurnEnd(team)
      if (first !== undefined) await turns.handle(first).wait({ until })
      else if (ownTurn !== undefined) await Promise.race([ownTurn, gone.promise])
      else break
    }
  } finally {
    cancelTimer()
    endHeartbeat()
  }
  const messages = open().length
  const isIdle = messages === 0 && sessions.ownTurnEnd(team) === undefined
  return { team, status: isIdle ? 'idle' : 'busy', messages, timestamp: clock.now() }
}

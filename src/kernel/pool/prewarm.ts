import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { external, type Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Launcher } from './launch.ts'
import type { Pool } from './pool.ts'

export interface PrewarmParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly sessions: Sessions
  readonly launcher: Pick<Launcher, 'transcriptOf'>
  readonly pool: Pool
  /** How many bytes of memory are still available for processes. */
  readonly availableMemory: () => number
}

const weekMs = 7 * 86_400_000
/** Memory of an idle Claude Code in bytes: 200 to 250 MiB measured, 300 MiB at its start. */
export const processBytes = 300 * 2 ** 20

/**
 * Starts the processes of last week's busiest pairs in advance, while places, start rate and memory allow. No model
 * call is needed. The pool publishes failures; they have no other effect.
 */
export async function prewarm(parts: PrewarmParts): Promise<void> {
  const { config, clock, log, sessions, pool, availableMemory } = parts
  const { prewarmPairs } = config().settings
  if (prewarmPairs === 0) return
  const busiest = sessions.openBusiest(clock.now() - weekMs, prewarmPairs)
  for (const [index, session] of busiest.entries()) {
    const neededBytes = (busiest.length - index) * processBytes
    if (availableMemory() < neededBytes) return log.info('memory is short, so no process is started in advance')
    if (!(await canBeAsked(session, parts))) continue
    await pool.warmUp(session).catch(() => {})
  }
}

/**
 * Whether both teams are configured and the transcript exists. A lost conversation is not replaced here, because there
 * is no caller to inform of the loss.
 */
async function canBeAsked(session: Session, { config, launcher }: PrewarmParts): Promise<boolean> {
  const { teams } = config()
  const { from, to } = session
  return teams.has(to) && (from === external || teams.has(from)) && (await launcher.transcriptOf(session)) !== undefined
}

/** Starts the process of an active conversation, if there is a free place and the start rate and memory allow it. */
export async function warmUpPair(pair: Pair, parts: PrewarmParts): Promise<boolean> {
  const session = parts.sessions.openLive(pair)
  if (session === undefined || parts.availableMemory() < processBytes) return false
  return (await canBeAsked(session, parts)) && (await parts.pool.warmUp(session))
}

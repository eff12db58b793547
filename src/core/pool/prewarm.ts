import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { external } from '../../base/protocol/party.ts'
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
  /** Bytes that processes can still have. */
  readonly availableMemory: () => number
}

const weekMs = 7 * 86_400_000
/** Of memory, for a Claude Code at rest: 200 to 250 MiB were measured, 300 at its start. */
export const processBytes = 300 * 2 ** 20

/**
 * Starts the processes of the pairs that were busiest in the last week, before they are asked, as long as that takes
 * nothing from anybody. It costs no model call; what fails is announced by the pool, and that is all.
 */
export async function prewarm(parts: PrewarmParts): Promise<void> {
  const { config, clock, log, sessions, pool, availableMemory } = parts
  const { prewarmPairs } = config().settings
  if (prewarmPairs === 0) return
  const busiest = sessions.busiest(clock.now() - weekMs, prewarmPairs)
  for (const [index, session] of busiest.entries()) {
    const neededBytes = (busiest.length - index) * processBytes
    if (availableMemory() < neededBytes) return log.info('memory is short, nobody is started before being asked')
    if (!(await canBeAsked(session, parts))) continue
    await pool.warmUp(session).catch(() => {})
  }
}

/** Both teams are there, and so is what they said: a conversation that is lost is replaced when somebody can be told. */
async function canBeAsked(session: Session, { config, launcher }: PrewarmParts): Promise<boolean> {
  const { teams } = config()
  const { from, to } = session
  return teams.has(to) && (from === external || teams.has(from)) && (await launcher.transcriptOf(session)) !== undefined
}

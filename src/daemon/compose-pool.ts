import type { Launcher } from '../pool/launch.ts'
import { Pool, type PoolParts } from '../pool/pool.ts'
import { TakeOvers, type TakeOversParts } from '../pool/take-overs.ts'
import type { SessionRows } from '../store/sessions.ts'

type Shared = Pick<PoolParts, 'config' | 'clock' | 'log' | 'publish' | 'unasked'>

interface Around extends Shared, Pick<TakeOversParts, 'sessions' | 'own' | 'marker'> {
  readonly rows: SessionRows
  readonly launcher: Launcher
}

/** Which sessions have a process, and which a person has open: the one gives way to the other. */
export function composePool({ rows, launcher, sessions, own, marker, ...shared }: Around) {
  const takeOvers = new TakeOvers({
    ...shared,
    sessions,
    own,
    marker,
    configDirectoryOf: (team) => launcher.configDirectoryOf(team),
    letGo: (session) => pool.retire(session, 'a person has opened its conversation', pool.unused(session)),
  })
  const pool: Pool = new Pool({
    ...shared,
    takeOvers,
    random: Math.random,
    launch: (session, retries) => launcher.launch(session, retries),
    mirror: (session, state) => rows.mirrorProcessState(session.row.id, state),
  })
  return { pool, takeOvers }
}

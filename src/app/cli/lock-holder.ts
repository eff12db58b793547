import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { homePaths } from '../../platform/config/home.ts'
import { hasOtherNames } from '../../platform/config/home-mark.ts'
import { type FoundDaemon, knownDaemon } from './find-daemon.ts'

/**
 * A daemon takes the lock a moment before it writes its file, and keeps the lock for a moment after it has removed the
 * file.
 */
const momentMs = 3000
const lookAgainMs = 50

/**
 * The daemon that holds the lock of this home, as soon as its file names it; undefined if nobody holds the lock. Throws
 * `daemon_unreachable` if no file names the holder within `waitMs` milliseconds.
 */
export async function lockHolder(home: string, waitMs = momentMs): Promise<FoundDaemon | undefined> {
  const { lock } = homePaths(home)
  const began = systemClock.elapsed()
  for (;;) {
    const known = knownDaemon(home)
    if (known !== undefined) return known
    // Loaded on demand, because loading SQLite takes as long as many commands take altogether.
    if (!existsSync(lock)) return undefined
    const { lockOf } = await import('../../platform/store/lock-state.ts')
    const held = await lockOf(lock)
    // A copy by hard links has the lock of the original.
    if (held.state !== 'held' || hasOtherNames(lock)) return undefined
    if (systemClock.elapsed() - began >= waitMs) throw unknownHolder(home, held.pid)
    await delay(lookAgainMs)
  }
}

/** A process has the lock of this home, but no file names it: nobody can reach it, and no other daemon can start. */
function unknownHolder(home: string, pid: number | undefined): IrisError {
  const { lock, daemonFile } = homePaths(home)
  const who = pid === undefined ? 'A process' : `Process ${pid}`
  const end =
    pid === undefined ? `"fuser ${lock}" shows its pid: end it with "kill <pid>"` : `End it with "kill ${pid}"`
  return new IrisError(
    'daemon_unreachable',
    `${who} holds the lock of this home, and no command can reach it: ${daemonFile} is missing or damaged.`,
    `If it was just started or stopped, wait a moment. Otherwise, the file was removed while the daemon ran. ${end}, then run "iris start --background". Accepted messages are kept.`,
  )
}

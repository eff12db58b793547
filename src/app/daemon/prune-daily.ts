import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { deleteFilesOf } from '../../features/conversations/handlers/delete.ts'
import type { Search } from '../../features/search/search.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ForgottenTurns } from '../../platform/store/forgotten-turns.ts'

type Files = Parameters<typeof deleteFilesOf>[2]

export interface PruneParts extends Files {
  readonly config: () => Config
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
  readonly forgotten: ForgottenTurns
  readonly search: Pick<Search, 'startOver'>
}

const dayMs = 86_400_000

/**
 * Deletes turns older than `settings.keepTurns` once `ready` resolves, and then every day, in small batches between
 * which the daemon does other work. Without that setting, nothing. `stop` resolves when a run has ended.
 */
export function pruneDaily(parts: PruneParts, ready: Promise<void>) {
  let isEnding = false
  const run = async (): Promise<void> => {
    const { keepTurns } = parts.config().settings
    if (keepTurns === undefined || isEnding) return
    try {
      await prune(parts, parts.clock.now() - keepTurns * dayMs, () => isEnding)
    } catch (error) {
      parts.log.error(`old messages were not deleted: ${String(error)}`)
    }
  }
  let last = ready.then(run)
  const endDays = every(parts.clock, dayMs, () => {
    last = last.then(run)
  })
  return {
    stop(): Promise<void> {
      isEnding = true
      endDays()
      return last
    },
  }
}

async function prune({ forgotten, search, publish, ...files }: PruneParts, before: number, isEnding: () => boolean) {
  const pass = forgotten.pass(before)
  let turns = 0
  for (let removed = pass.next(); removed !== undefined && !isEnding(); removed = pass.next()) {
    turns += removed
    await otherWork()
  }
  for (const { team, sessionId } of forgotten.emptySessions(before)) {
    if (isEnding()) return
    await deleteFilesOf(team, sessionId, files)
    forgotten.filesDeleted(sessionId, before)
  }
  if (turns === 0) return
  forgotten.sweep(before)
  // The index cannot forget single texts.
  await search.startOver()
  while (!isEnding() && forgotten.shrink()) await otherWork()
  publish({ type: 'turns-pruned', turns })
}

function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

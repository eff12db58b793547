import { type Clock, every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import { deleteFilesOf } from '../../features/conversations/handlers/delete.ts'
import type { Search } from '../../features/search/search.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ForgottenTurns } from '../../platform/store/forgotten-turns.ts'

type Files = Parameters<typeof deleteFilesOf>[2]

export interface PruneParts extends Omit<Files, 'transcripts'> {
  readonly transcripts: Pick<TranscriptFiles, 'conversationOf' | 'remove' | 'cut'>
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
 * which the daemon does other work. Without that setting, it deletes nothing. `stop` resolves when a run has ended.
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

async function prune(parts: PruneParts, before: number, isEnding: () => boolean): Promise<void> {
  const { forgotten, search, publish, log, ...files } = parts
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
  const isKept = (turnId: string): boolean => forgotten.isThere(turnId)
  for (const { sessionId, first } of forgotten.conversations()) {
    if (isEnding()) return
    const kept = { before: Math.min(before, first?.acceptedAt ?? before), firstDelivery: first?.delivery, isKept }
    await files.transcripts.cut(sessionId, kept).catch((error: unknown) => {
      log.warn(`old messages stay in the transcripts of ${sessionId}: ${String(error)}`)
    })
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

import { existsSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../base/lib/clock.ts'
import type { StoreRebuilt } from '../../base/protocol/store.ts'
import { openDatabase, refuseNewer } from '../../platform/store/database.ts'
import { JournalRows } from '../../platform/store/journal.ts'
import { RebuiltRows } from '../../platform/store/rebuilt-rows.ts'
import { salvage } from '../../platform/store/salvage.ts'
import { replaceStore } from '../../platform/store/set-aside.ts'
import { markDamage } from '../../platform/store/store.ts'
import { type Loss, setIdentity } from '../../platform/store/store-identity.ts'
import { isDamage, storeError } from '../../platform/store/store-trouble.ts'
import { findTranscripts, type Told, type TranscriptPlace, tellConversation, tellTranscript } from './conversations.ts'

export interface RebuildParts {
  readonly path: string
  /** `$IRIS_HOME/output_streams`. */
  readonly streams: string
  /** Where Claude Code keeps transcripts, including those of people: `<directory>/<any>/<session id>.jsonl`. */
  readonly projects: readonly TranscriptPlace[]
  /** Where Iris keeps its own transcripts, in the same layout. */
  readonly kept: TranscriptPlace
  readonly clock: Clock
  /** The identity of the new store. */
  readonly identity: number
  /** A random id for the rows that the rebuild adds to the journal. */
  readonly epoch: string
  /** Records in the new store that it was rebuilt, and why. */
  readonly recordRebuilt: (database: DatabaseSync, why: string) => Promise<void>
}

const doubt =
  'The store was damaged or lost, and there is no record of how this turn ended. Some or all of its work may be done. Check the project, then ask again.'
const sideBySide = 16
/**
 * The cache is large because rows do not arrive in the order of their indexes. Pages that do not fit into it would be
 * written again and again.
 */
const cacheKiB = 256 * 1024

/**
 * Rebuilds a store from the readable rows of the damaged one, and then from the files of the conversations. Leaves out
 * the rows if the store belonged to another Iris: they would be mistaken for rows of this one. A turn without an end
 * becomes `in_doubt`, so that no turn is given to Claude again. During the rebuild, nothing may write to the old store
 * or to a conversation. Throws `store_newer`.
 */
export async function rebuildStore({ why, isForeign }: Loss, parts: RebuildParts): Promise<StoreRebuilt> {
  const { path, clock } = parts
  const foundAt = clock.now()
  notNewer(path)
  // The mark remains until the new store is in place, so that after a crash in between, the damaged store is not
  // mistaken for a sound one.
  markDamage(path, why)
  const made = `${path}.new`
  for (const name of [made, `${made}-wal`, `${made}-shm`, `${made}-journal`]) rmSync(name, { force: true })
  const database = openDatabase(made)
  // The unfinished store is discarded after a crash, so no commit in it needs to be durable.
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cacheKiB}`)
  setIdentity(database, parts.identity)
  if (!isForeign) salvage(path, database)
  await parts.recordRebuilt(database, why)
  const rows = new RebuiltRows(database)
  database.exec('BEGIN')
  const unreadable = await readAll(parts, rows)
  rows.chooseLive()
  const inDoubt = rows.doubtTheRest(doubt, clock.now())
  rows.sumCosts()
  database.exec('COMMIT')
  const journal = new JournalRows(database)
  journal.begin(parts.epoch)
  journal.complete(clock.now())
  const counts = rows.count()
  database.close()
  return {
    why,
    setAside: replaceStore(path, made, clock.now()) ?? null,
    ...counts,
    inDoubt,
    unreadable,
    foundAt,
    at: clock.now(),
  }
}

/** Adds the conversations from all files to the store. Returns how many files could not be read. */
async function readAll({ streams, projects, kept }: RebuildParts, rows: RebuiltRows): Promise<number> {
  const turnOf = (delivery: string): string | undefined => rows.turnOf(delivery)
  const own = await findTranscripts([kept])
  const transcripts = new Map([...own, ...(await findTranscripts(projects))])
  const names = await readdir(streams).catch(() => [])
  let unreadable = 0
  const take = async (reading: readonly Promise<Told | undefined>[]): Promise<void> => {
    for (const read of await Promise.allSettled(reading)) {
      if (read.status === 'rejected') unreadable++
      else if (read.value) fill(rows, read.value)
    }
  }
  for (const some of chunks(names)) {
    await take(
      some.map((name) => tellConversation(join(streams, name, 'conversation.json'), transcripts.get(name), turnOf)),
    )
    for (const name of some) own.delete(name)
  }
  for (const some of chunks([...own.keys()])) {
    await take(some.map((sessionId) => tellTranscript(sessionId, transcripts.get(sessionId)!, turnOf)))
  }
  return unreadable
}

function chunks<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / sideBySide) }, (_, index) =>
    all.slice(index * sideBySide, (index + 1) * sideBySide),
  )
}

function fill(rows: RebuiltRows, { pair, sessionId, createdAt, lastUsedAt, turns }: Told): void {
  const answered = turns.filter(({ end }) => end?.outcome === 'completed')
  const last = answered.toSorted((a, b) => a.at - b.at).at(-1)
  const session = rows.session({
    ...pair,
    sessionId,
    createdAt,
    lastUsedAt,
    messageCount: answered.length,
    lastAnswered: last && { delivery: last.delivery, at: last.end?.at ?? last.at },
  })
  for (const turn of turns) rows.turn(session, { ...turn, at: turn.at || createdAt, partial: turn.partial || null })
}

/** Throws `store_newer` for the store of a newer Iris, which only that Iris may repair. Throws `store_unavailable`. */
function notNewer(path: string): void {
  let database: DatabaseSync | undefined
  try {
    if (!existsSync(path)) return
    database = new DatabaseSync(path, { readOnly: true })
    refuseNewer(database)
  } catch (error) {
    if (!isDamage(error)) throw storeError(path, error)
  } finally {
    database?.close()
  }
}

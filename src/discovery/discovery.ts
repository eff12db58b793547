import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { KeptTranscripts } from '../claude/kept-transcripts.ts'
import type { TeamConfig } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Discovered } from '../protocol/event.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionRow, SessionRows } from '../store/sessions.ts'
import { type Found, sessionDirectories, transcriptFiles } from './directory-walk.ts'
import { readOrphan } from './orphan.ts'
import { RowSet } from './row-set.ts'

export interface DiscoveryParts {
  readonly teams: () => ReadonlyMap<string, Pick<TeamConfig, 'realPath'>>
  readonly clock: Clock
  readonly sessions: Sessions
  readonly rows: SessionRows
  readonly kept: KeptTranscripts
  /** `$IRIS_HOME/output_streams` */
  readonly streamsDirectory: string
  /** Where the CLI keeps a team's conversations; undefined for a team that is not configured. */
  readonly configDirectoryOf: (team: string) => string | undefined
}

const rowsAtOnce = 100
/** Of those that are missing, so many are named. */
const mostIds = 10

/**
 * Compares the store with what is on disk, whatever the size of both: directories are streamed, only conversations of
 * Iris are looked into, and what is remembered is a bit a session. Files of others are listed, never opened or changed.
 * Runs once.
 */
export class Discovery {
  readonly #parts: DiscoveryParts
  readonly #signal: AbortSignal
  readonly #began: number
  readonly #present = new RowSet()
  readonly #directories = new Map<string, string | undefined>()
  readonly #counts = { found: 0, adopted: 0, restored: 0, missing: 0, unkept: 0 }
  readonly #missingIds: string[] = []

  constructor(parts: DiscoveryParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#began = parts.clock.now()
  }

  /** Rejects with the signal's reason when it is given up. */
  async run(): Promise<Discovered> {
    await this.#adopt()
    await this.#look()
    await this.#restore()
    await this.#markMissing()
    return { ...this.#counts, missingIds: this.#missingIds }
  }

  /** First, so that a pair finds its conversation when it speaks. */
  async #adopt(): Promise<void> {
    const { rows, sessions, streamsDirectory } = this.#parts
    for await (const batch of sessionDirectories(streamsDirectory, this.#signal)) {
      const known = new Set(rows.bySessionIds(idsOf(batch)).map(({ sessionId }) => sessionId))
      for (const found of batch.filter(({ sessionId }) => !known.has(sessionId))) {
        const orphan = await readOrphan(found, this.#parts.teams(), (to, id) => this.#transcriptOf(to, id))
        this.#signal.throwIfAborted()
        if (orphan === undefined) continue
        sessions.adopt(orphan.conversation, orphan.archivedWhy)
        this.#counts.adopted += 1
      }
    }
  }

  /** What the CLI has is noted, kept, and made young. */
  async #look(): Promise<void> {
    const { kept } = this.#parts
    for (const directory of this.#allDirectories()) {
      await this.#eachOfIris(join(directory, 'projects'), async (row, path) => {
        if (this.#directoryOf(row.to) !== directory) return
        const keeping = await kept.keep(path)
        if (keeping === 'absent') return
        if (keeping === 'refused') this.#counts.unkept += 1
        if (row.status !== 'archived') await kept.freshen(path)
        this.#isThere(row)
        this.#counts.found += 1
      })
    }
  }

  /** What the CLI has no more is put back; of an archived conversation only when it is needed. */
  async #restore(): Promise<void> {
    const { kept } = this.#parts
    await this.#eachOfIris(kept.directory, async (row) => {
      const directory = this.#directoryOf(row.to)
      if (row.status === 'archived' || directory === undefined || this.#present.has(row.id)) return
      const path = await kept.find(directory, row.sessionId).catch(() => undefined)
      if (path === undefined) return
      this.#isThere(row)
      this.#counts.restored += 1
    })
  }

  async #markMissing(): Promise<void> {
    const { rows, clock } = this.#parts
    for (let batch = rows.after(0, rowsAtOnce); batch.length > 0; batch = rows.after(batch.at(-1)!.id, rowsAtOnce)) {
      const gone = batch.filter((row) => this.#isGone(row))
      const news = gone.filter(({ transcriptMissingSince }) => transcriptMissingSince === null)
      rows.transcriptsMissing(
        news.map(({ id }) => id),
        clock.now(),
      )
      this.#counts.missing += gone.length
      this.#missingIds.push(...idsOf(gone).slice(0, mostIds - this.#missingIds.length))
      await pause(undefined, { signal: this.#signal })
    }
  }

  /** What has been used meanwhile may have come after its directory was looked through. */
  #isGone({ id, to, status, messageCount, lastUsedAt }: SessionRow): boolean {
    if (status === 'archived' || messageCount === 0 || lastUsedAt >= this.#began) return false
    return !this.#present.has(id) && this.#directoryOf(to) !== undefined
  }

  #isThere(row: SessionRow): void {
    this.#present.add(row.id)
    if (row.transcriptMissingSince !== null) this.#parts.rows.transcriptsMissing([row.id], null)
  }

  async #eachOfIris(directory: string, see: (row: SessionRow, path: string) => Promise<void>): Promise<void> {
    for await (const batch of transcriptFiles(directory, this.#signal)) {
      const paths = new Map(batch.map(({ sessionId, path }) => [sessionId, path]))
      await Promise.all(this.#parts.rows.bySessionIds(idsOf(batch)).map((row) => see(row, paths.get(row.sessionId)!)))
    }
  }

  /** Of a team that has gone from the configuration it may be with any other's. */
  async #transcriptOf(team: string, sessionId: string): Promise<string | undefined> {
    const directory = this.#directoryOf(team)
    for (const one of directory === undefined ? this.#allDirectories() : [directory]) {
      const path = await this.#parts.kept.find(one, sessionId).catch(() => undefined)
      if (path !== undefined) return path
    }
    return undefined
  }

  #allDirectories(): Set<string> {
    const all = [...this.#parts.teams().keys()].map((team) => this.#directoryOf(team))
    return new Set(all.filter((directory) => directory !== undefined))
  }

  #directoryOf(team: string): string | undefined {
    if (!this.#directories.has(team)) this.#directories.set(team, this.#parts.configDirectoryOf(team))
    return this.#directories.get(team)
  }
}

function idsOf(batch: readonly Pick<Found, 'sessionId'>[]): string[] {
  return batch.map(({ sessionId }) => sessionId)
}

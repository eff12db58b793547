import { setImmediate as pause } from 'node:timers/promises'
import type { Clock } from '../../base/lib/clock.ts'
import type { Discovered } from '../../base/protocol/event.ts'
import type { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import type { SessionRow, SessionRows } from '../../platform/store/sessions.ts'
import type { Sessions } from '../session/sessions.ts'
import { type FoundTranscript, sessionDirectories, transcriptFiles } from './directory-walk.ts'
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
  /** Where the CLI keeps a team's conversations. Undefined for a team that is not configured. */
  readonly claudeOf: (team: string) => FileTree | undefined
}

const rowsAtOnce = 100
/** How many missing conversations the result names. */
const maxIds = 10

/**
 * Compares the store with the files on disk, however large both are. It streams directories, opens only Iris's
 * conversations, and remembers one bit per session. It also lists other files, but never opens or changes them. Runs
 * once.
 */
export class Discovery {
  readonly #parts: DiscoveryParts
  readonly #signal: AbortSignal
  readonly #began: number
  readonly #present = new RowSet()
  readonly #trees = new Map<string, FileTree | undefined>()
  readonly #counts = { found: 0, adopted: 0, restored: 0, missing: 0, unkept: 0 }
  readonly #missingIds: string[] = []

  constructor(parts: DiscoveryParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#began = parts.clock.now()
  }

  /** Rejects when the signal aborts. */
  async run(): Promise<Discovered> {
    await this.#adopt()
    await this.#look()
    await this.#restore()
    await this.#markMissing()
    return { ...this.#counts, missingIds: this.#missingIds }
  }

  /**
   * Adds conversations that the store does not know. Runs first, so that a pair's next message finds its conversation.
   */
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

  /**
   * Finds the CLI's transcripts and makes kept transcripts of them. Updates their modification times, so that the CLI
   * does not delete them as old.
   */
  async #look(): Promise<void> {
    const { kept } = this.#parts
    for (const claude of this.#allTrees()) {
      await this.#eachOfIris(claude, ['projects'], async (row, { names }) => {
        if (this.#treeOf(row.to)?.directory !== claude.directory) return
        const facts = await claude.find(names).catch(() => undefined)
        const found = facts && new FoundFile(claude, facts)
        const keeping = found === undefined ? 'absent' : await kept.keep(found)
        if (found === undefined || keeping === 'absent') return
        if (keeping === 'refused') this.#counts.unkept += 1
        if (row.status !== 'archived') await kept.freshen(found)
        this.#isThere(row)
        this.#counts.found += 1
      })
    }
  }

  /** Restores transcripts that the CLI no longer has. Those of archived conversations are restored only when needed. */
  async #restore(): Promise<void> {
    const { kept } = this.#parts
    await this.#eachOfIris(kept.tree, [], async (row) => {
      const claude = this.#treeOf(row.to)
      if (row.status === 'archived' || claude === undefined || this.#present.has(row.id)) return
      const found = await kept.find(claude, row.sessionId).catch(() => undefined)
      if (found === undefined) return
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
      this.#missingIds.push(...idsOf(gone).slice(0, maxIds - this.#missingIds.length))
      await pause(undefined, { signal: this.#signal })
    }
  }

  /**
   * Skips a session that was used after discovery began: it may have got its transcript after the directory was read.
   */
  #isGone({ id, to, status, messageCount, lastUsedAt }: SessionRow): boolean {
    if (status === 'archived' || messageCount === 0 || lastUsedAt >= this.#began) return false
    return !this.#present.has(id) && this.#treeOf(to) !== undefined
  }

  #isThere(row: SessionRow): void {
    this.#present.add(row.id)
    if (row.transcriptMissingSince !== null) this.#parts.rows.transcriptsMissing([row.id], null)
  }

  async #eachOfIris(
    tree: FileTree,
    names: readonly string[],
    see: (row: SessionRow, found: FoundTranscript) => Promise<void>,
  ): Promise<void> {
    for await (const batch of transcriptFiles(tree, names, this.#signal)) {
      const bySession = new Map(batch.map((found) => [found.sessionId, found]))
      await Promise.all(
        this.#parts.rows.bySessionIds(idsOf(batch)).map((row) => see(row, bySession.get(row.sessionId)!)),
      )
    }
  }

  /** The transcript of a team that was removed from the configuration may be in any other team's directory. */
  async #transcriptOf(team: string, sessionId: string): Promise<FoundFile | undefined> {
    const tree = this.#treeOf(team)
    for (const one of tree === undefined ? this.#allTrees() : [tree]) {
      const found = await this.#parts.kept.find(one, sessionId).catch(() => undefined)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** One tree per directory, which several teams may share. */
  #allTrees(): Iterable<FileTree> {
    const all = [...this.#parts.teams().keys()].flatMap((team) => this.#treeOf(team) ?? [])
    return new Map(all.map((tree) => [tree.directory, tree])).values()
  }

  #treeOf(team: string): FileTree | undefined {
    if (!this.#trees.has(team)) this.#trees.set(team, this.#parts.claudeOf(team))
    return this.#trees.get(team)
  }
}

function idsOf(batch: readonly Pick<FoundTranscript, 'sessionId'>[]): string[] {
  return batch.map(({ sessionId }) => sessionId)
}

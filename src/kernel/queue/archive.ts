import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { every, pause } from '../../base/lib/clock.ts'
import type { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import { deleteTranscript } from '../../claude/driver/transcript.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { homePaths } from '../../platform/config/home.ts'
import type { SessionRow, SessionRows } from '../../platform/store/sessions.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import { answererOf } from '../session/agent-thread.ts'

export type ArchiveParts = Pick<
  OrchestratorParts,
  'config' | 'clock' | 'ledger' | 'log' | 'sessions' | 'pool' | 'seams' | 'launcher' | 'transcripts'
> & { readonly rows: Pick<SessionRows, 'unusedSince'>; readonly kept: Pick<KeptTranscripts, 'forget'> }

const dayMs = 86_400_000
/**
 * How many sessions to archive in one commit, and how long to pause between two commits, in milliseconds, so that Iris
 * can do other work.
 */
const batch = 100
const pauseMs = 50

/** Archives conversations unused for `archiveAfterDays`: at the start, then once a day. */
export class Archive {
  readonly #parts: ArchiveParts
  #isOpen = false
  #endDays: () => void = () => {}

  constructor(parts: ArchiveParts) {
    this.#parts = parts
  }

  begin(): void {
    this.#isOpen = true
    this.#endDays = every(this.#parts.clock, dayMs, () => void this.#sweep())
    void this.#sweep()
  }

  end(): void {
    this.#isOpen = false
    this.#endDays()
  }

  async #sweep(): Promise<void> {
    const { clock, config, rows, log } = this.#parts
    const { archiveAfterDays } = config().settings
    const before = clock.now() - archiveAfterDays * dayMs
    try {
      for (let last: SessionRow | undefined; this.#isOpen; await pause(clock.machine, pauseMs)) {
        const unused = rows.unusedSince(before, batch, last)
        last = unused.at(-1)
        if (last === undefined) return
        await this.#makeDormant(unused, `unused for ${archiveAfterDays} days`)
      }
    } catch (error) {
      log.error(`conversations could not be archived: ${String(error)}`)
    }
  }

  async #makeDormant(unused: readonly SessionRow[], why: string): Promise<void> {
    const { config, sessions, transcripts, kept } = this.#parts
    const { deleteArchivedFiles } = config().settings
    // If a turn arrives before the commit, it creates the transcript's second name again.
    if (deleteArchivedFiles) await Promise.all(unused.map(({ sessionId }) => kept.forget(sessionId)))
    // Files are deleted before the commit: if the session is used again, now or after a crash, its next answer reports
    // the loss.
    if (deleteArchivedFiles) await Promise.all(unused.map((row) => this.#deleteFiles(row)))
    const rows = unused.filter((row) => this.#isFree(row))
    if (!this.#isOpen) return
    if (!deleteArchivedFiles) for (const row of rows) transcripts.archived({ ...row, agentName: answererOf(row) }, why)
    sessions.makeDormant(rows, why)
  }

  /** Whether nobody has used the session since the query found it. */
  #isFree(row: SessionRow): boolean {
    if (this.#parts.seams.holders.holderOf(row) !== undefined) return false
    const session = this.#parts.sessions.known(row)
    return session === undefined || (session.queue.length === 0 && this.#parts.pool.state(session) === 'stopped')
  }

  async #deleteFiles(row: SessionRow): Promise<void> {
    const { config, launcher, ledger } = this.#parts
    // Without the team's configuration, Iris does not know where the team's files are.
    const transcript = workingTeam(config(), row.to) && (await launcher.transcriptOf(row))
    if (!this.#isFree(row) || !this.#isOpen) return
    ledger.attachments.forget(row.sessionId)
    if (transcript !== undefined) await deleteTranscript(transcript)
    await rm(join(homePaths(config().home).streams, row.sessionId), { recursive: true, force: true })
  }
}

import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { appendRest, isContinuedBy } from './file-copy.ts'
import { findTranscript, transcriptHolds } from './transcript.ts'
import { missingParentOf } from './transcript-head.ts'

/** Nobody's sweep takes a file that young, and it stands behind what a person said in his project within the week. */
const youngMs = 7 * 86_400_000

/** `refused`: the disk takes neither a link nor a copy; the CLI's own file is there. */
export type Keeping = 'kept' | 'absent' | 'refused'

/**
 * A second name for the transcript of every conversation of Iris, `<directory>/<slug>/<session id>.jsonl`. The CLI deletes
 * old transcripts, a person's own one by his settings: that takes the first name only. It appends to a transcript and
 * never writes it anew, so a hard link is enough, and costs no room; where there can be none it is a copy.
 */
export class KeptTranscripts {
  readonly #directory: string
  readonly #clock: Clock
  /** A keeping that is under way when its conversation is deleted must not bring it back. */
  readonly #forgotten = new Set<string>()

  constructor(directory: string, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  get directory(): string {
    return this.#directory
  }

  /** Claude Code's transcript; put back where it was when it has gone. Undefined when there is none to put back. */
  async find(configDirectory: string, sessionId: string): Promise<string | undefined> {
    const path = await findTranscript(configDirectory, sessionId)
    if (path !== undefined) {
      await this.freshen(path)
      return path
    }
    const kept = await this.#kept(sessionId)
    return kept && this.restore(kept, configDirectory)
  }

  /** Where it can be read, and nothing is changed by that. */
  async look(configDirectory: string, sessionId: string): Promise<string | undefined> {
    return (await findTranscript(configDirectory, sessionId)) ?? this.#kept(sessionId)
  }

  /**
   * The same, whole, for a process about to be started: nobody may write it now. Deleted under a living process, the CLI
   * begins a file that holds only what comes from then on; what was before is put in front of it.
   */
  async findWhole(configDirectory: string, sessionId: string): Promise<string | undefined> {
    // It lives again.
    this.#forgotten.delete(sessionId)
    const path = await this.find(configDirectory, sessionId)
    if (path !== undefined && (await this.#isRest(path))) {
      const whole = unfinished(path)
      await copyFile(this.#keptNameOf(path), whole)
      await appendRest(path, whole, 0)
      await rename(whole, path)
      await this.keep(path)
    }
    return path
  }

  /** Puts a kept transcript back. Returns where it is now. */
  async restore(kept: string, configDirectory: string): Promise<string> {
    const path = join(configDirectory, 'projects', basename(dirname(kept)), basename(kept))
    await place(kept, path)
    await this.freshen(path)
    return path
  }

  async keepOf(configDirectory: string, sessionId: string): Promise<Keeping> {
    const path = await findTranscript(configDirectory, sessionId)
    return path === undefined ? 'absent' : this.keep(path)
  }

  /** From now on it outlives its deletion. A file that does not go on from the kept one never takes its place. */
  async keep(path: string): Promise<Keeping> {
    const kept = this.#keptNameOf(path)
    const [now, before] = await Promise.all([stat(path).catch(() => undefined), stat(kept).catch(() => undefined)])
    if (now === undefined || now.size === 0) return 'absent'
    if (before?.ino === now.ino && before.dev === now.dev) return 'kept'
    try {
      if (before === undefined) await place(path, kept)
      else if (now.size > before.size && (await isContinuedBy(kept, path))) await appendRest(path, kept, before.size)
      if (this.#forgotten.has(basename(path, '.jsonl'))) await rm(kept, { force: true })
      return 'kept'
    } catch {
      return 'refused'
    }
  }

  /** Makes an old file young enough for a sweep to pass it by. One that cannot be changed can still be put back. */
  async freshen(path: string): Promise<void> {
    const young = this.#clock.now() - youngMs
    const facts = await stat(path).catch(() => undefined)
    if (facts !== undefined && facts.mtimeMs < young) await utimes(path, young / 1000, young / 1000).catch(() => {})
  }

  /** For a conversation that is to be deleted: from now on Claude Code's own file is the only one. */
  async forget(sessionId: string): Promise<void> {
    this.#forgotten.add(sessionId)
    const kept = await this.#kept(sessionId)
    if (kept !== undefined) await rm(kept, { force: true })
  }

  async #isRest(path: string): Promise<boolean> {
    const kept = this.#keptNameOf(path)
    const [now, before] = await Promise.all([stat(path), stat(kept).catch(() => undefined)])
    if (before === undefined || before.ino === now.ino) return false
    const parent = await missingParentOf(path)
    return parent !== undefined && transcriptHolds(kept, parent)
  }

  #keptNameOf(path: string): string {
    return join(this.#directory, basename(dirname(path)), basename(path))
  }

  async #kept(sessionId: string): Promise<string | undefined> {
    const slugs = await readdir(this.#directory).catch(() => [])
    const paths = slugs.map((slug) => join(this.#directory, slug, `${sessionId}.jsonl`))
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
    return paths.find((_, index) => found[index] !== undefined)
  }
}

let written = 0

/** A name of its own for what is to become this file: two may be at it at once. */
function unfinished(path: string): string {
  written += 1
  return `${path}.${process.pid}-${written}.half`
}

/** At once or not at all. What stands there already stays, unless it is empty. */
async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  if ((await stat(to).catch(() => undefined))?.size === 0) await rm(to)
  await link(from, to).catch(async (refused: NodeJS.ErrnoException) => {
    if (refused.code === 'EEXIST') return
    // Another file system, or one that knows no links.
    const half = unfinished(to)
    await copyFile(from, half)
    await rename(half, to)
  })
}

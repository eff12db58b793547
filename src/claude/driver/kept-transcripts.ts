import type { Clock } from '../../base/lib/clock.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import { type LocalTree, piecesOf } from '../../platform/machine/local-tree.ts'
import type { FileFacts, FileProblem, FileTree } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { lookForTranscript, maxTranscript, transcriptHolds } from './transcript.ts'
import { missingParentOf } from './transcript-head.ts'

/**
 * The age that Iris gives an old file: young enough that every clean-up spares the file, but older than the
 * conversations that a person had in the past week.
 */
const youngMs = 7 * 86_400_000

/** `refused`: the CLI's own file exists but is not kept; `onRefusal` got the reason. */
export type Keeping = 'kept' | 'absent' | 'refused'

/** `problem`: why Claude Code's own file cannot be used now. That file may contain more than `file`. */
export interface ReadableTranscript {
  readonly file: FoundFile | undefined
  readonly problem: FileProblem | undefined
}

/** Called with a transcript that is not used or not kept, and the reason, for the log. */
export type Refusal = (sessionId: string, problem: string) => void

/**
 * Gives the transcript of every Iris conversation a second name, `<slug>/<session id>.jsonl`, in Iris's own directory.
 * The CLI, including a person's own, deletes old transcripts, but only under the first name. The CLI appends to a
 * transcript and never rewrites it, so a hard link is enough and takes no space. Where a hard link is impossible, Iris
 * makes a copy. Agents can write where the CLI keeps its files. So Iris never follows a link on either side, and
 * accepts only a regular file that belongs to the user and has no further names (docs/decisions/0024).
 */
export class KeptTranscripts {
  readonly #own: LocalTree
  readonly #clock: Clock
  readonly #onRefusal: Refusal
  /** If a conversation is deleted during a `keep`, that `keep` must not bring its transcript back. */
  readonly #forgotten = new Set<string>()

  constructor(own: LocalTree, clock: Clock, onRefusal: Refusal) {
    this.#own = own
    this.#clock = clock
    this.#onRefusal = onRefusal
  }

  get tree(): LocalTree {
    return this.#own
  }

  /**
   * Claude Code's transcript; if deleted, it is restored from the kept copy. Undefined if neither exists or access is
   * refused.
   */
  async find(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    const found = await this.#transcript(claude, sessionId)
    if (found !== undefined) {
      await this.freshen(found)
      return found
    }
    const kept = await this.#kept(sessionId)
    return kept && this.#tried(sessionId, undefined, () => this.#restored(kept, claude))
  }

  /** The transcript for reading only: Claude Code's own, otherwise the kept one. Changes nothing. */
  async look(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    const found = await this.#transcript(claude, sessionId)
    const kept = found === undefined ? await this.#kept(sessionId) : undefined
    return found ?? (kept && new FoundFile(this.#own, kept))
  }

  /** The transcript of a conversation to which no process writes any more. `problem`: see `ReadableTranscript`. */
  async evidence(claude: FileTree, sessionId: string): Promise<ReadableTranscript> {
    const { found, problems } = await lookForTranscript(claude, sessionId)
    const [problem] = problems
    if (found !== undefined || problem === undefined) {
      return {
        file: found ?? (await this.find(claude, sessionId)) ?? (await this.look(claude, sessionId)),
        problem: undefined,
      }
    }
    const kept = await this.#kept(sessionId)
    return { file: kept && new FoundFile(this.#own, kept), problem }
  }

  /**
   * Like `find`, but returns the whole conversation, for a process about to start; no process may write the file now.
   * If a transcript is deleted under a running process, the CLI begins a new file with only the later lines.
   * `findWhole` puts the kept lines before them.
   */
  async findWhole(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    // The conversation is in use again.
    this.#forgotten.delete(sessionId)
    const found = await this.find(claude, sessionId)
    // The kept copy cannot be read, so the conversation continues with what Claude Code has.
    const kept = found && (await this.#tried(sessionId, undefined, () => this.#keptOf(found)))
    if (found === undefined || kept === undefined || !(await this.#isRest(found, kept))) return found
    return this.#tried(sessionId, found, async () => {
      const { names } = found.facts
      await claude.write(names, joined(piecesOf(this.#own, kept), piecesOf(claude, found.facts)), { replace: true })
      const facts = await claude.find(names)
      const whole = facts && new FoundFile(claude, facts)
      if (whole !== undefined) await this.keep(whole)
      return whole
    })
  }

  async keepOf(claude: FileTree, sessionId: string): Promise<Keeping> {
    const found = await this.#transcript(claude, sessionId)
    return found === undefined ? 'absent' : this.keep(found)
  }

  /**
   * Keeps a transcript, so that it survives Claude Code's deletion. Never replaces a kept transcript with a file that
   * does not continue it.
   */
  async keep(found: FoundFile): Promise<Keeping> {
    const sessionId = sessionOf(found.facts)
    if (found.size === 0) return 'absent'
    return this.#tried<Keeping>(sessionId, 'refused', async () => {
      const kept = await this.#keptOf(found)
      if (kept?.identity === found.facts.identity) return 'kept'
      if (found.size > maxTranscript) throw new MachineError('it is too large')
      if (kept === undefined) await this.#takeIn(found)
      else if (found.size > kept.size && (await isContinuedBy(new FoundFile(this.#own, kept), found))) {
        await this.#own.append(kept, piecesOf(found.tree, found.facts, kept.size))
      }
      if (this.#forgotten.has(sessionId)) await this.forget(sessionId)
      return 'kept'
    })
  }

  /** Updates an old file's time, so that clean-ups spare it. Ignores errors: a deleted file can be restored. */
  async freshen({ tree, facts }: FoundFile): Promise<void> {
    const young = this.#clock.now() - youngMs
    if (facts.modifiedAt < young) await tree.touch(facts, young).catch(() => {})
  }

  /** Removes the kept transcript of a conversation that is to be deleted; Claude Code's own file stays. */
  async forget(sessionId: string): Promise<void> {
    this.#forgotten.add(sessionId)
    const kept = await this.#kept(sessionId)
    if (kept !== undefined) await this.#own.remove(kept.names)
  }

  /** Refuses a file that has another name elsewhere: it may be a file that the agent must not change. */
  async #takeIn({ tree, facts }: FoundFile): Promise<void> {
    if (facts.links > 1) throw new MachineError('it has another name somewhere')
    await this.#own.place(keptNames(facts), tree, facts)
  }

  async #restored(kept: FileFacts, claude: FileTree): Promise<FoundFile | undefined> {
    const names = ['projects', ...kept.names]
    const present = await claude.find(names)
    if (present?.size === 0) await claude.remove(names)
    await claude.place(names, this.#own, kept)
    const facts = await claude.find(names)
    if (facts === undefined) return undefined
    const found = new FoundFile(claude, facts)
    await this.freshen(found)
    return found
  }

  async #transcript(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    const { found, problems } = await lookForTranscript(claude, sessionId)
    if (found === undefined) for (const { place, why } of problems) this.#onRefusal(sessionId, `${place}: ${why}`)
    return found
  }

  async #isRest(found: FoundFile, kept: FileFacts): Promise<boolean> {
    if (kept.identity === found.facts.identity) return false
    const parent = await missingParentOf(found)
    return parent !== undefined && transcriptHolds(new FoundFile(this.#own, kept), parent)
  }

  /** The kept transcript. The directory is Iris's own, so problems with it are not reported. */
  async #kept(sessionId: string): Promise<FileFacts | undefined> {
    return (await this.#own.findBelow([], `${sessionId}.jsonl`)).files[0]
  }

  /** The kept transcript, under its former name if the conversation has moved with its project. */
  async #keptOf({ facts }: FoundFile): Promise<FileFacts | undefined> {
    return (await this.#own.find(keptNames(facts))) ?? this.#kept(sessionOf(facts))
  }

  async #tried<T>(sessionId: string, otherwise: T, act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      this.#onRefusal(
        sessionId,
        error instanceof MachineError ? error.message : `the system says ${code ?? String(error)}`,
      )
      return otherwise
    }
  }
}

/** The path `projects/<slug>/<session id>.jsonl` without its first part. */
function keptNames({ names }: FileFacts): readonly string[] {
  return names.slice(-2)
}

function sessionOf({ names }: FileFacts): string {
  return names.at(-1)!.replace(/\.jsonl$/, '')
}

async function* joined(...parts: readonly AsyncIterable<Buffer>[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield* part
}

const comparedBytes = 4096

/** Whether the longer file continues the shorter one; compares only the last 4096 bytes of the shorter one. */
async function isContinuedBy(shorter: FoundFile, longer: FoundFile): Promise<boolean> {
  const from = Math.max(0, shorter.size - comparedBytes)
  const [a, b] = await Promise.all([shorter, longer].map((file) => file.read(from, shorter.size - from)))
  return a!.equals(b!)
}

import type { Clock } from '../../base/lib/clock.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import { type LocalTree, piecesOf } from '../../platform/machine/local-tree.ts'
import type { FileFacts, FileProblem, FileTree } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { largestTranscript, lookForTranscript, transcriptHolds } from './transcript.ts'
import { missingParentOf } from './transcript-head.ts'

/** Nobody's sweep takes a file that young, and it stands behind what a person said in his project within the week. */
const youngMs = 7 * 86_400_000

/** `refused`: it is not kept, and the reason was given to `onRefusal`; the CLI's own file is there. */
export type Keeping = 'kept' | 'absent' | 'refused'

export interface Evidence {
  readonly file: FoundFile | undefined
  readonly problem: FileProblem | undefined
}

/** A transcript that is not used or not kept, and why, for the log. */
export type Refusal = (sessionId: string, problem: string) => void

/**
 * A second name for the transcript of every conversation of Iris, `<slug>/<session id>.jsonl` in a directory of Iris's own.
 * The CLI deletes old transcripts, a person's own one by his settings: that takes the first name only. It appends to a
 * transcript and never writes it anew, so a hard link is enough, and costs no room; where there can be none it is a copy.
 * Agents write where the CLI keeps its files: neither side is ever reached through a link, and what is no plain file of the
 * user, or has a third name, is left alone (docs/decisions/0024).
 */
export class KeptTranscripts {
  readonly #own: LocalTree
  readonly #clock: Clock
  readonly #onRefusal: Refusal
  /** A keeping that is under way when its conversation is deleted must not bring it back. */
  readonly #forgotten = new Set<string>()

  constructor(own: LocalTree, clock: Clock, onRefusal: Refusal) {
    this.#own = own
    this.#clock = clock
    this.#onRefusal = onRefusal
  }

  get tree(): LocalTree {
    return this.#own
  }

  /** Claude Code's transcript; put back where it was when it has gone. Undefined when there is none to put back. */
  async find(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    const found = await this.#transcript(claude, sessionId)
    if (found !== undefined) {
      await this.freshen(found)
      return found
    }
    const kept = await this.#kept(sessionId)
    return kept && this.#tried(sessionId, undefined, () => this.#restored(kept, claude))
  }

  /** Where it can be read, and nothing is changed by that. */
  async look(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    const found = await this.#transcript(claude, sessionId)
    const kept = found === undefined ? await this.#kept(sessionId) : undefined
    return found ?? (kept && new FoundFile(this.#own, kept))
  }

  /**
   * What can be read of a conversation that nobody writes any more. `problem`: Claude Code's own file may say more than
   * that, and cannot be used now.
   */
  async evidence(claude: FileTree, sessionId: string): Promise<Evidence> {
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
   * The same, whole, for a process about to be started: nobody may write it now. Deleted under a living process, the CLI
   * begins a file that holds only what comes from then on; what was before is put in front of it.
   */
  async findWhole(claude: FileTree, sessionId: string): Promise<FoundFile | undefined> {
    // It lives again.
    this.#forgotten.delete(sessionId)
    const found = await this.find(claude, sessionId)
    const kept = found && (await this.#keptOf(found))
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

  /** From now on it outlives its deletion. A file that does not go on from the kept one never takes its place. */
  async keep(found: FoundFile): Promise<Keeping> {
    const sessionId = sessionOf(found.facts)
    if (found.size === 0) return 'absent'
    return this.#tried<Keeping>(sessionId, 'refused', async () => {
      const kept = await this.#keptOf(found)
      if (kept?.identity === found.facts.identity) return 'kept'
      if (found.size > largestTranscript) throw new MachineError('it is too large')
      if (kept === undefined) await this.#takeIn(found)
      else if (found.size > kept.size && (await isContinuedBy(new FoundFile(this.#own, kept), found))) {
        await this.#own.append(kept, piecesOf(found.tree, found.facts, kept.size))
      }
      if (this.#forgotten.has(sessionId)) await this.#own.remove(keptNames(found.facts))
      return 'kept'
    })
  }

  /** Makes an old file young enough for a sweep to pass it by. One that cannot be changed can still be put back. */
  async freshen({ tree, facts }: FoundFile): Promise<void> {
    const young = this.#clock.now() - youngMs
    if (facts.modifiedAt < young) await tree.touch(facts, young).catch(() => {})
  }

  /** For a conversation that is to be deleted: from now on Claude Code's own file is the only one. */
  async forget(sessionId: string): Promise<void> {
    this.#forgotten.add(sessionId)
    const kept = await this.#kept(sessionId)
    if (kept !== undefined) await this.#own.remove(kept.names)
  }

  /** A second name elsewhere may be that of a file which is not the agent's to change. */
  async #takeIn({ tree, facts }: FoundFile): Promise<void> {
    if (facts.links > 1) {
      const elsewhere = await this.#kept(sessionOf(facts))
      if (facts.links === 2 && elsewhere?.identity === facts.identity) return
      throw new MachineError('it has another name somewhere')
    }
    await this.#own.place(keptNames(facts), tree, facts)
  }

  async #restored(kept: FileFacts, claude: FileTree): Promise<FoundFile | undefined> {
    const names = ['projects', ...kept.names]
    const stands = await claude.find(names)
    if (stands?.size === 0) await claude.remove(names)
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

  /** Of Iris's own directory: there is no problem to be told. */
  async #kept(sessionId: string): Promise<FileFacts | undefined> {
    return (await this.#own.findBelow([], `${sessionId}.jsonl`)).files[0]
  }

  #keptOf({ facts }: FoundFile): Promise<FileFacts | undefined> {
    return this.#own.find(keptNames(facts))
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

/** `projects/<slug>/<session id>.jsonl` without its first part. */
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

/** Whether the longer file goes on where the shorter one ends, as far as the end of that one shows. */
async function isContinuedBy(shorter: FoundFile, longer: FoundFile): Promise<boolean> {
  const from = Math.max(0, shorter.size - comparedBytes)
  const [a, b] = await Promise.all([shorter, longer].map((file) => file.read(from, shorter.size - from)))
  return a!.equals(b!)
}

import { realpath, stat } from 'node:fs/promises'
import { sha256 } from '../../base/lib/sha256.ts'
import { diffProblemTexts, gitSeconds, outsideText, problemText } from './file-problem.ts'
import type { Helper } from './helper.ts'
import {
  ChangeAnswer,
  CommitAnswer,
  diffAnswer,
  partAnswer,
  readAnswer,
  statesAnswer,
  WriteAnswer,
} from './helper-protocol.ts'
import type {
  Commit,
  FileStates,
  FoundBytes,
  FoundDiff,
  FoundText,
  ProjectFiles,
  ReadOptions,
  Written,
} from './machine.ts'

const gitTimeoutMs = gitSeconds * 1000
/** The helper has little memory, and its answers are lines of limited length. */
const partBytes = 3 * 1024 * 1024

/** The project of a team on this machine. */
export class LocalProjectFiles implements ProjectFiles {
  readonly #helper: Helper
  readonly #directory: () => string
  readonly #configuredPath: () => string

  /** `directory`: the real path in the configuration in force; `configuredPath`: the path as written there. */
  constructor(helper: Helper, directory: () => string, configuredPath: () => string) {
    this.#helper = helper
    this.#directory = directory
    this.#configuredPath = configuredPath
  }

  async exists(): Promise<boolean> {
    const facts = await stat(this.#directory()).catch(() => undefined)
    return facts?.isDirectory() === true
  }

  async identity(): Promise<string | undefined> {
    const facts = await stat(this.#configuredPath(), { bigint: true }).catch(() => undefined)
    return facts && `${facts.dev}:${facts.ino}`
  }

  realPath(): Promise<string | undefined> {
    return realpath(this.#configuredPath()).catch(() => undefined)
  }

  async readText(name: string, { mostBytes, cut = false, anywhere = false }: ReadOptions): Promise<FoundText> {
    const read = await this.#helper.ask({ do: 'read', name, mostBytes, cut, anywhere }, readAnswer(mostBytes))
    return read.kind === 'unusable' ? { kind: 'unusable', problem: problemText(read.problem, mostBytes) } : read
  }

  async readBytes(name: string, mostBytes: number): Promise<FoundBytes> {
    const parts: Buffer[] = []
    let known: string | undefined
    for (let from = 0; ; from += partBytes) {
      const request = { do: 'read-part', name, from, mostBytes: partBytes } as const
      const part = await this.#helper.ask(request, partAnswer(partBytes))
      if (part.kind === 'absent') return part
      if (part.kind === 'unusable') {
        const isOutside = part.problem === 'outside'
        return { kind: 'unusable', problem: isOutside ? outsideText : problemText(part.problem, mostBytes) }
      }
      const { identity, size, base64 } = part
      if (size > mostBytes) return { kind: 'unusable', problem: problemText('too-large', mostBytes) }
      known ??= identity
      const bytes = Buffer.from(base64, 'base64')
      if (identity !== known || bytes.length !== Math.min(partBytes, size - from))
        return { kind: 'unusable', problem: 'it changed while it was being read' }
      parts.push(bytes)
      if (from + partBytes >= size) return { kind: 'bytes', bytes: Buffer.concat(parts) }
    }
  }

  async lastChange(names: readonly string[]): Promise<number> {
    return (await this.#helper.ask({ do: 'last-change', names }, ChangeAnswer)).at
  }

  async gitDiff(mostBytes: number): Promise<FoundDiff> {
    const request = { do: 'git-diff', mostBytes, timeoutMs: gitTimeoutMs } as const
    const found = await this.#helper.ask(request, diffAnswer(mostBytes))
    return found.kind === 'none' ? { kind: 'none', problem: diffProblemTexts[found.problem] } : found
  }

  async fileStates(names: readonly string[]): Promise<FileStates> {
    const request = { do: 'file-states', names, timeoutMs: gitTimeoutMs } as const
    const { head, files } = await this.#helper.ask(request, statesAnswer(names.length))
    return { head, files: files.map((file) => file ?? undefined) }
  }

  async lastCommit(name: string, since: string): Promise<Commit | undefined> {
    const request = { do: 'last-commit', name, since, timeoutMs: gitTimeoutMs } as const
    return (await this.#helper.ask(request, CommitAnswer)).commit
  }

  async writeText(name: string, text: string, was: string | undefined): Promise<Written> {
    const request = { do: 'write', name, text, was: was === undefined ? null : sha256(was) } as const
    const done = await this.#helper.ask(request, WriteAnswer)
    return done.kind === 'unusable' ? { kind: 'unusable', problem: problemText(done.problem, 1024 * 1024) } : done
  }
}

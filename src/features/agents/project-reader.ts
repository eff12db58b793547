import type { FoundText, ProjectFiles, ReadOptions } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'

/** Where a project is, and the machine that reads it. */
export interface Project {
  /** Real path. */
  readonly directory: string
  readonly files: ProjectFiles
}

const maxDiffBytes = 1_048_576

/** Reads a project's files. Files that cannot be used are named in `warnings`, and are treated as absent. */
export class ProjectReader {
  readonly warnings: string[] = []
  readonly directory: string
  readonly #files: ProjectFiles
  #hasFailed = false

  constructor({ directory, files }: Project) {
    this.directory = directory
    this.#files = files
  }

  async text(name: string, options: ReadOptions): Promise<string | undefined> {
    const file = await this.find(name, options)
    if (file.kind === 'text') return file.text
    if (file.kind === 'unusable') this.refuse(name, file.problem)
    return undefined
  }

  async find(name: string, options: ReadOptions): Promise<FoundText> {
    return (await this.#tried(() => this.#files.readText(name, options))) ?? { kind: 'absent' }
  }

  /** The uncommitted changes; undefined if git does not show them. */
  async gitDiff(): Promise<string | undefined> {
    const diff = await this.#tried(() => this.#files.gitDiff(maxDiffBytes))
    if (diff === undefined) return undefined
    if (diff.kind === 'none') {
      this.warnings.push(`There is no git diff: ${diff.problem}.`)
      return undefined
    }
    if (diff.isCut) this.warnings.push(`The git diff is cut: it has over ${maxDiffBytes} bytes.`)
    return diff.text
  }

  /** `problem` completes the sentence "<name> is not used: …". */
  refuse(name: string, problem: string): void {
    this.warnings.push(`${name} is not used: ${problem}.`)
  }

  /** Undefined if the machine fails. Only the first failure becomes a warning. */
  async #tried<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof MachineError)) throw error
      if (!this.#hasFailed) this.warnings.push(`The project could not be read completely: ${error.message}.`)
      this.#hasFailed = true
      return undefined
    }
  }
}

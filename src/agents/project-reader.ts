import { type ReadOptions, readTextFile } from './project-file.ts'

/** What a project's files hold; those that cannot be used are named in `warnings`, and count as absent. */
export class ProjectReader {
  readonly warnings: string[] = []
  /** Real path. */
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  async text(name: string, options: ReadOptions): Promise<string | undefined> {
    const file = await readTextFile(this.directory, name, options)
    if (file.kind === 'text') return file.text
    if (file.kind === 'unusable') this.refuse(name, file.problem)
    return undefined
  }

  /** `problem` reads on behind "is not used: ". */
  refuse(name: string, problem: string): void {
    this.warnings.push(`${name} is not used: ${problem}.`)
  }
}

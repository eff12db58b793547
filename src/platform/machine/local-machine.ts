import type { Child, Command } from './child.ts'
import { Helper, type HelperParts } from './helper.ts'
import { LocalTree } from './local-tree.ts'
import type { FileTree, Machine, Processes, ProjectFiles, System, TeamIsolation, VersionOptions } from './machine.ts'
import { LocalProjectFiles } from './project-files.ts'

export interface LocalMachineParts extends HelperParts {
  readonly system: System
  readonly isolation: TeamIsolation
  /** The project's directory, a real path. */
  readonly directory: () => string
  /** The project's directory, as written in the configuration. */
  readonly configuredPath: () => string
  /** Claude Code's directory, according to the current environment of agents. */
  readonly claudeDirectory: () => string
  /** The daemon's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A real path that is hidden from agents. */
  readonly hidden: string
}

/** The machine on which Iris itself runs, as the agents of one team use it. */
export class LocalMachine implements Machine {
  readonly project: ProjectFiles
  readonly processes: Processes
  readonly isolation: TeamIsolation
  readonly #system: System
  readonly #helper: Helper
  readonly #parts: Pick<LocalMachineParts, 'claudeDirectory' | 'environment' | 'hidden'>
  #claude: LocalTree | undefined

  constructor(parts: LocalMachineParts) {
    this.#parts = parts
    this.#system = parts.system
    this.processes = parts.system.processes
    this.isolation = parts.isolation
    this.#helper = new Helper(parts)
    this.project = new LocalProjectFiles(this.#helper, parts.directory, parts.configuredPath)
  }

  get claude(): FileTree {
    const directory = this.#parts.claudeDirectory()
    if (this.#claude?.directory !== directory) this.#claude = new LocalTree(directory, this.#parts.hidden)
    return this.#claude
  }

  async environment(): Promise<Readonly<Record<string, string | undefined>>> {
    return this.#parts.environment
  }

  start(command: Command): Promise<Child> {
    return this.#system.start(command)
  }

  /** Always undefined: programs that an earlier daemon started on this machine ended with that daemon. */
  async takeUp(): Promise<undefined> {}

  findExecutable(name: string, path: string): Promise<string | undefined> {
    return this.#system.findExecutable(name, path)
  }

  programVersion(executable: string, options?: VersionOptions): Promise<string | undefined> {
    return this.#system.programVersion(executable, options)
  }

  /** Ends the helper. */
  end(): Promise<void> {
    return this.#helper.end()
  }
}

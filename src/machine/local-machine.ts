import type { Child, Command, Transport } from './child.ts'
import { Helper, type HelperParts } from './helper.ts'
import { LocalTree } from './local-tree.ts'
import type { FileTree, Machine, ProjectFiles } from './machine.ts'
import { LocalProjectFiles } from './project-files.ts'

export interface LocalMachineParts extends HelperParts {
  /** Where Claude Code keeps its files, as its agents are told it now. */
  readonly claudeDirectory: () => string
  /** What is hidden from agents, a real path. */
  readonly hidden: string
}

/** The machine Iris itself runs on, as one team's agents have it. */
export class LocalMachine implements Machine {
  readonly project: ProjectFiles
  readonly #transport: Transport
  readonly #helper: Helper
  readonly #parts: Pick<LocalMachineParts, 'claudeDirectory' | 'hidden'>
  #claude: LocalTree | undefined

  constructor(parts: LocalMachineParts) {
    this.#parts = parts
    this.#transport = parts.transport
    this.#helper = new Helper(parts)
    this.project = new LocalProjectFiles(this.#helper)
  }

  get claude(): FileTree {
    const directory = this.#parts.claudeDirectory()
    if (this.#claude?.directory !== directory) this.#claude = new LocalTree(directory, this.#parts.hidden)
    return this.#claude
  }

  start(command: Command): Promise<Child> {
    return this.#transport.start(command)
  }

  /** Ends the helper. */
  end(): Promise<void> {
    return this.#helper.end()
  }
}

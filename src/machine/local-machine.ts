import type { Child, Command, Transport } from '../transport/transport.ts'
import { Helper, type HelperParts } from './helper.ts'
import type { Machine, ProjectFiles } from './machine.ts'
import { LocalProjectFiles } from './project-files.ts'

/** The machine Iris itself runs on, as one team's agents have it. */
export class LocalMachine implements Machine {
  readonly project: ProjectFiles
  readonly #transport: Transport
  readonly #helper: Helper

  constructor(parts: HelperParts) {
    this.#transport = parts.transport
    this.#helper = new Helper(parts)
    this.project = new LocalProjectFiles(this.#helper)
  }

  start(command: Command): Promise<Child> {
    return this.#transport.start(command)
  }

  /** Ends the helper. */
  end(): Promise<void> {
    return this.#helper.end()
  }
}

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/lib/clock.ts'
import type { Child, Command } from '../machine/child.ts'
import type { FileTree, Machine, Processes, ProjectFiles, TakenUp, TeamIsolation } from '../machine/machine.ts'
import { tagVariable } from '../machine/process-tag.ts'
import { BoundedChild } from './bounded-child.ts'
import { findRemoteExecutable } from './find-remote-executable.ts'
import type { RemoteChild } from './host.ts'
import { withLimitTag } from './limit-tag.ts'
import type { RemoteHost } from './remote-host.ts'
import { RemoteProject } from './remote-project.ts'
import { remoteTag } from './remote-tag.ts'
import { RemoteTree } from './remote-tree.ts'
import { shellQuoted } from './shell-words.ts'

export interface RemoteMachineParts {
  readonly host: RemoteHost
  readonly clock: Clock
  /** Shared by all teams on that machine. */
  readonly processes: Processes
  readonly isolation: TeamIsolation
  /** How long a program there continues without a connection, milliseconds; after that, its supervisor ends it. */
  readonly linkGrace: () => number
  /** The directory of the project, as in config.yaml. */
  readonly directory: () => string
  /** Where Claude Code keeps its files there; absolute, or beginning with `~/`. */
  readonly claudeDirectory: () => string
}

/** A machine behind ssh or another command, as the agents of one team use it. */
export class RemoteMachine implements Machine {
  readonly project: ProjectFiles
  readonly processes: Processes
  readonly isolation: TeamIsolation
  readonly #parts: RemoteMachineParts
  #claude: { root: string; tree: RemoteTree } | undefined

  constructor(parts: RemoteMachineParts) {
    this.#parts = parts
    this.processes = parts.processes
    this.isolation = parts.isolation
    this.project = new RemoteProject(parts.host, parts.directory)
  }

  get claude(): FileTree {
    const root = this.#parts.claudeDirectory()
    if (this.#claude?.root !== root) this.#claude = { root, tree: new RemoteTree(this.#parts.host, root) }
    return this.#claude.tree
  }

  environment(): Promise<Readonly<Record<string, string>>> {
    return this.#parts.host.environment()
  }

  async start(command: Command): Promise<Child> {
    const { host } = this.#parts
    const graceMs = this.#parts.linkGrace()
    const tag = remoteTag(command.env[tagVariable] ?? '')
    const env = { ...command.env, [tagVariable]: tag }
    const [, run = randomUUID()] = tag.split('.')
    const session = command.session ?? run
    try {
      await host.endRunsOf(session)
      const child = await host.programs.start(withLimitTag({ ...command, env }, tag), { run, tag, session, graceMs })
      return this.#bounded(child, tag, graceMs)
    } catch (error) {
      throw host.failed(error)
    }
  }

  async takeUp(session: string, message: string): Promise<TakenUp | undefined> {
    const { host, linkGrace } = this.#parts
    try {
      const found = await host.runOf(session, message)
      return found && { child: this.#bounded(found.child, found.tag, linkGrace()), startId: found.child.run }
    } catch (error) {
      throw host.failed(error)
    }
  }

  #bounded(child: RemoteChild, tag: string, graceMs: number): BoundedChild {
    const { host, clock } = this.#parts
    void child.exited.then(() => host.endLeft(tag))
    child.link$.subscribe((link) => link.kind === 'lost' && host.lost(link.why))
    return new BoundedChild(child, host.name, graceMs, clock)
  }

  findExecutable(name: string): Promise<string | undefined> {
    return findRemoteExecutable(this.#parts.host, name)
  }

  async programVersion(executable: string): Promise<string | undefined> {
    const script = `DISABLE_AUTOUPDATER=1 ${shellQuoted(executable)} --version | head -c 200`
    const { output } = await this.#parts.host.run(script)
    return /^\d+\.\d+\.\d+/.exec(output.toString('latin1'))?.[0]
  }
}

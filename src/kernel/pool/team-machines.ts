import { realpathSync } from 'node:fs'
import type { Clock } from '../../base/lib/clock.ts'
import type { LinkView } from '../../features/teams/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import type { RemoteHost } from '../../platform/hosts/remote-host.ts'
import { RemoteMachine } from '../../platform/hosts/remote-machine.ts'
import { RemoteTree } from '../../platform/hosts/remote-tree.ts'
import { LocalMachine } from '../../platform/machine/local-machine.ts'
import type { FileTree, Machine, Machines, System } from '../../platform/machine/machine.ts'
import type { Hosts } from './hosts.ts'
import type { Isolations } from './isolation.ts'
import { refuseUnusable } from './team-directory.ts'
import type { TeamPrograms } from './team-programs.ts'

export interface TeamMachinesParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly system: System
  readonly isolations: Isolations
  readonly hosts: Hosts
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The tag that every process of this Iris has. Each start adds its own id. */
  readonly irisTag: string
  readonly newId: () => string
}

/** The machine of each team: this machine, with the team's isolation, or the machine that the team's `remote` names. */
export class TeamMachines implements Machines {
  readonly #parts: TeamMachinesParts
  readonly #programs: TeamPrograms
  readonly #hidden: string
  readonly #machines = new Map<string, LocalMachine>()
  /** By team. Each entry includes the host, because a saved configuration may name another host. */
  readonly #remote = new Map<string, { host: RemoteHost; machine: RemoteMachine }>()
  #hasEnded = false

  constructor(parts: TeamMachinesParts, programs: TeamPrograms) {
    this.#parts = parts
    this.#programs = programs
    this.#hidden = realpathSync(parts.config().home)
  }

  of(team: string): Machine {
    return this.#programs.remoteOf(team) === undefined ? this.#local(team) : this.#elsewhere(team)
  }

  linkOf(team: string): LinkView | undefined {
    const remote = this.#programs.remoteOf(team)
    if (remote === undefined) return undefined
    const { host, tunnel } = this.#parts.hosts.of(remote)
    const { state } = host
    if (state.kind === 'unknown') return { state: 'unknown' }
    const { kind, ...more } = tunnel.state
    return {
      state: state.kind,
      since: state.since,
      ...(state.kind === 'unreachable' && { why: state.why }),
      ...(kind !== 'closed' && { tunnel: { state: kind, ...('why' in more && { why: more.why }) } }),
    }
  }

  #elsewhere(name: string): RemoteMachine {
    const { hosts, clock } = this.#parts
    const { host, processes } = hosts.of(this.#programs.team(name))
    const known = this.#remote.get(name)
    if (known?.host === host) return known.machine
    const machine = new RemoteMachine({
      host,
      processes,
      clock,
      isolation: hosts.isolationOf(() => this.#programs.team(name)),
      linkGrace: () => this.#programs.linkGraceOf(name),
      directory: () => this.#programs.team(name).realPath,
      claudeDirectory: () => this.#programs.configDirectoryOf(name),
    })
    this.#remote.set(name, { host, machine })
    return machine
  }

  #local(team: string): LocalMachine {
    const known = this.#machines.get(team)
    if (known) return known
    const { system, clock, irisTag, newId, environment, isolations } = this.#parts
    const machine = new LocalMachine({
      system,
      clock,
      path: environment['PATH'] ?? '',
      tag: () => `${irisTag}.${newId()}`,
      isolation: {
        of: async (program) => isolations.of(this.#programs.team(team), program),
        for: async (program) => isolations.for(this.#programs.team(team), program),
      },
      directory: () => this.#programs.team(team).realPath,
      configuredPath: () => this.#programs.team(team).path,
      place: () => this.#place(team),
      claudeDirectory: () => this.#programs.configDirectoryOf(team),
      environment,
      hidden: this.#hidden,
    })
    this.#machines.set(team, machine)
    if (this.#hasEnded) void machine.end()
    return machine
  }

  /**
   * The Claude Code directories of those given teams that are on other machines, if the machines answer. Uses shells
   * that no message needs at the same time. All machines are asked at once, so a silent one delays the result only
   * until ssh gives up.
   */
  async treesElsewhere(teams: readonly string[]): Promise<ReadonlyMap<string, FileTree>> {
    const found = teams.map(async (team) => {
      const remote = this.#programs.remoteOf(team)
      if (remote === undefined) return []
      const { background } = this.#parts.hosts.of(remote).host
      const answers = await background.run(':').then(
        () => true,
        () => false,
      )
      return answers ? [[team, new RemoteTree(background, this.#programs.configDirectoryOf(team))] as const] : []
    })
    return new Map((await Promise.all(found)).flat())
  }

  keepHidden(): void {
    this.#parts.isolations.keepHidden()
  }

  /** Ends the helpers and starts no more of them. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#machines.values()].map((machine) => machine.end()))
  }

  /** Uses the same isolation as the team's processes. */
  async #place(name: string) {
    const team = this.#programs.team(name)
    refuseUnusable(team)
    return {
      directory: team.realPath,
      isolation: await this.#parts.isolations.for(team, await this.#programs.isolated(team)),
    }
  }
}

import type { Clock } from '../../base/lib/clock.ts'
import type { IsolationView } from '../../features/teams/contract.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { CommandShellParts } from '../../platform/hosts/command-shell.ts'
import { ConnectionDirectory } from '../../platform/hosts/connection-directory.ts'
import { parseRemote } from '../../platform/hosts/remote-command.ts'
import { RemoteHost } from '../../platform/hosts/remote-host.ts'
import { RemoteProcesses } from '../../platform/hosts/remote-processes.ts'
import { remoteTag } from '../../platform/hosts/remote-tag.ts'
import { ReverseTunnel } from '../../platform/hosts/reverse-tunnel.ts'
import type { Processes, TeamIsolation } from '../../platform/machine/machine.ts'

export interface HostsParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Starts a program on this machine that connects to another machine. */
  readonly startClient: CommandShellParts['start']
  /** The tag of every process that this Iris starts. Absent if it starts nothing on other machines. */
  readonly irisTag?: string
  /** Whether a program to which an earlier daemon gave this message should continue with it. */
  readonly isAwaited?: ((message: string) => boolean) | undefined
  readonly tunnels?: TunnelsParts
}

export interface TunnelsParts {
  /** Serves that machine's session endpoints, and nothing else, at a Unix socket. */
  readonly serve: (socket: string, machine: string) => Promise<void>
  readonly onTrouble: (machine: string, why: string) => void
}

interface Known {
  readonly host: RemoteHost
  readonly processes: Processes
  /** Identifies the machine and how it is reached. */
  readonly key: string
  /** Connects processes on that machine to their session endpoints. */
  readonly tunnel: ReverseTunnel
}

/** The remote machines of teams, each once. */
export class Hosts {
  readonly #parts: HostsParts
  readonly #connections = new ConnectionDirectory()
  readonly #hosts = new Map<string, Known>()

  constructor(parts: HostsParts) {
    this.#parts = parts
    if (parts.irisTag !== undefined) this.#connections.sweep()
  }

  /** The machine of a team with `remote`. */
  of({ remote = '', remoteOptions }: Pick<TeamConfig, 'remote' | 'remoteOptions'>): Known {
    const command = parseRemote(remote, remoteOptions)
    const known = this.#hosts.get(command.key)
    if (known) return known
    const { clock, startClient: start, irisTag, isAwaited = () => false } = this.#parts
    const tag = irisTag === undefined ? {} : { formerTag: remoteTag(irisTag), isAwaited }
    const host = new RemoteHost({ command, start, clock, connections: this.#connections, ...tag })
    const { tunnels } = this.#parts
    const made = {
      host,
      key: command.key,
      processes: new RemoteProcesses(host, (swept, graceMs) => host.programs.sweep(swept, graceMs)),
      tunnel: new ReverseTunnel({
        shell: host.shell,
        clock,
        serve: async (socket) => tunnels?.serve(socket, command.key),
        onTrouble: (why) => tunnels?.onTrouble(host.name, why),
      }),
    }
    this.#hosts.set(command.key, made)
    return made
  }

  levelOf(team: Pick<TeamConfig, 'isolation'>): IsolationView['level'] {
    return team.isolation ?? this.#parts.config().settings.isolation
  }

  /**
   * A team's isolation on its remote machine: nothing is hidden, whatever config.yaml asks for, because Iris's home is
   * elsewhere. The configuration refuses a sandbox for such a team.
   */
  isolationOf(team: () => TeamConfig): TeamIsolation {
    return {
      of: async () => {
        const detail = `${elsewhere} (${this.of(team()).host.name})`
        return { level: this.levelOf(team()), holds: false, detail }
      },
      for: async () => undefined,
    }
  }

  /**
   * Call this once processes have ended and transcripts have been copied, because ending and copying need the
   * connections.
   */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#hosts.values()].map(async ({ host, tunnel }) => {
        tunnel.close()
        await host.close()
      }),
    )
    this.#connections.remove()
  }
}

const elsewhere =
  'nothing is hidden: on another machine agents can read everything that the user of the connection can; the home of Iris is not there'

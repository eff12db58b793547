import type { ControlHandler } from '../../base/agent/control-handler.ts'
import type { AgentFacts } from '../../base/agent/process.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { mainThread } from '../../base/protocol/pair.ts'
import { agentPlaces } from '../../claude/driver/agent-facts.ts'
import { ClaudeProcess } from '../../claude/driver/process.ts'
import type { Config } from '../../platform/config/config.ts'
import { unknownAgent } from './known-agent.ts'
import { type LaunchCommandParts, launchCommand } from './launch-command.ts'
import { failedToStart } from './start-failure.ts'
import { mustHaveDirectory } from './team-directory.ts'
import type { TeamPrograms } from './team-programs.ts'

export interface TeamAgentsParts extends LaunchCommandParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly newId: () => string
  /** See `TeamDirectories.of`. */
  readonly directoryOf: (team: string) => Promise<string | undefined>
}

export interface KnownAgents {
  readonly agents: readonly AgentFacts[]
  /**
   * When Claude Code read the agents' files, milliseconds since the epoch. This is the start of the process that
   * reported the agents.
   */
  readonly asOf: number
}

/** The agents that Claude Code offers in each team's project. */
export class TeamAgents {
  readonly #parts: TeamAgentsParts
  readonly #programs: TeamPrograms
  /** By team: the agents that the team's last process reported. */
  readonly #known = new Map<string, KnownAgents>()
  /** By team: the team's living processes. */
  readonly #running = new Map<string, Set<ClaudeProcess>>()

  constructor(parts: TeamAgentsParts, programs: TeamPrograms) {
    this.#parts = parts
    this.#programs = programs
  }

  /** Notes the agents that a process reported when it became ready. */
  learn(team: string, process: ClaudeProcess): KnownAgents {
    const known = { agents: process.agents, asOf: process.startedAt }
    this.#known.set(team, known)
    const running = this.#running.get(team) ?? new Set()
    this.#running.set(team, running.add(process))
    void process.exited.then(() => running.delete(process))
    return known
  }

  /**
   * Throws `unknown_agent` if the team has no such agent. Starts a process only if the last report does not list the
   * agent.
   */
  async check(team: string, agent: string): Promise<void> {
    const isKnown = (agents: readonly AgentFacts[] = []): boolean => agents.some(({ name }) => name === agent)
    if (isKnown(this.#known.get(team)?.agents)) return
    const { agents } = await this.ask(team)
    if (!isKnown(agents)) throw unknownAgent(agent, team, agents)
  }

  /**
   * The list that the last process reported at its start. Asks a new process if none is running, or if the agents'
   * files have changed since then.
   */
  async of(team: string, lastChange: (places: readonly string[]) => Promise<number>): Promise<KnownAgents> {
    const known = this.#known.get(team)
    if (known === undefined || !this.#running.get(team)?.size) return this.ask(team)
    const changedAt = await lastChange(agentPlaces(this.#programs.configDirectoryOf(team))).catch(() => 0)
    return changedAt > known.asOf ? this.ask(team) : known
  }

  /** The list from a process that is started only for this purpose. */
  async ask(name: string): Promise<KnownAgents> {
    const { config, clock, machines, newId, directoryOf } = this.#parts
    await directoryOf(name)
    const team = this.#programs.team(name)
    await mustHaveDirectory(team, name, machines)
    const program = await this.#programs.of(team)
    const sessionId = newId()
    const session = { thread: mainThread, sessionId, row: { model: null } }
    const start = { ...program, resume: false, startId: newId(), sessionMcp: undefined }
    const command = await launchCommand(session, team, start, this.#parts)
    const child = await machines
      .of(name)
      .start(command)
      .catch((error: unknown) => {
        throw failedToStart(name, error)
      })
    const process = new ClaudeProcess(child, { sessionId, resumed: false }, mute, clock)
    try {
      await process.initialize(config().settings.spawnTimeout)
      return this.learn(name, process)
    } catch (error) {
      throw failedToStart(name, error)
    } finally {
      await process.stop()
    }
  }
}

/** The control handler of a process that gets no message. */
const mute: ControlHandler = {
  beforeTool: () => 'nothing was asked',
  afterTool: () => {},
  toolRefused: () => {},
  mustAsk: () => false,
  noteFor: () => undefined,
  mayUse: async () => ({ behavior: 'deny', message: 'nothing was asked' }),
  mcp: async () => undefined,
}

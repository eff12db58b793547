import { realpathSync } from 'node:fs'
import type { AgentFacts } from '../claude/agent-facts.ts'
import { commandLine, type TerminalFacts, terminalCommand } from '../claude/command-line.ts'
import { irisInstructions } from '../claude/envelope.ts'
import { configDirectory, processEnvironment } from '../claude/environment.ts'
import type { Host } from '../claude/host.ts'
import type { KeptTranscripts } from '../claude/kept-transcripts.ts'
import { ClaudeProcess } from '../claude/process.ts'
import { refusesSession } from '../claude/session-refusal.ts'
import { transcriptHolds } from '../claude/transcript.ts'
import type { Config, TeamConfig } from '../config/config.ts'
import { workingTeam } from '../config/former-teams.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Secrets } from '../lib/secrets.ts'
import { IrisError } from '../protocol/error.ts'
import type { IsolationView } from '../protocol/operations/teams.ts'
import { mainThread } from '../protocol/party.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionRows } from '../store/sessions.ts'
import { markerVariable } from '../transport/descendants.ts'
import type { Child, Command, Transport } from '../transport/transport.ts'
import { claudeExecutable, claudeVersion } from './claude-executable.ts'
import type { Isolations } from './isolation.ts'
import { knowsAgent, unknownAgent } from './known-agent.ts'
import { launchRecord } from './launch-record.ts'
import type { Isolated } from './sandbox-view.ts'
import { type SessionMcpParts, startSessionMcp } from './session-mcp.ts'
import { failedToBeReady, failedToStart, SessionCreationError, StartFailed } from './start-failure.ts'
import { mustHaveDirectory } from './team-directory.ts'

export interface LaunchParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly rows: SessionRows
  readonly kept: KeptTranscripts
  readonly transport: Transport
  readonly isolations: Isolations
  /** What comes up the pipe of one start of the session's process; `startId` is in its marker too. */
  readonly hostFor: (session: Session, startId: string) => Host
  /** The daemon's own environment, of which a process is given only what is allowed by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Marks every process of this Iris; each start adds an id of its own. */
  readonly marker: string
  readonly newId: () => string
  readonly sessionMcp: SessionMcpParts
  /** The processes of this Iris by their pid, kept here. */
  readonly own: Map<number, ProcessStart>
}

/** One start of a session's process, by the id that its marker ends with. */
export interface ProcessStart {
  readonly session: Session
  readonly startId: string
}

/** Hears of every start that failed, and says whether there may be another one. */
export interface Retries {
  failed(cause: string): void
  /** Settles when the pause before it is over. */
  allowed(): Promise<boolean>
}

const maxCreations = 2

interface Prepared extends Isolated {
  readonly resume: boolean
  readonly startId: string
  readonly sessionMcp: string | undefined
}

/** Starts processes for sessions. */
export class Launcher {
  readonly #parts: LaunchParts
  /** Of each team, as its last process said. */
  readonly #agents = new Map<string, readonly AgentFacts[]>()

  constructor(parts: LaunchParts) {
    this.#parts = parts
  }

  /**
   * Starts the session's process and waits for its answer to `initialize`: no ping, no model call. The transcript file
   * decides between a new session id and a resume; where an answered conversation has lost its file, or the CLI does not
   * take the file, the session is replaced first. One that cannot be created is tried once more under another id, then
   * that is a SessionCreationError.
   */
  async launch(session: Session, retries: Retries): Promise<ClaudeProcess> {
    session.mustLive()
    const team = this.#team(session.to)
    await mustHaveDirectory(team, session.to)
    for (let created = 1; ; ) {
      try {
        return await this.#start(session, team)
      } catch (error) {
        if (!(error instanceof StartFailed)) throw error
        retries.failed(error.message)
        if (error.resuming && !error.refused) throw error
        if (!error.resuming) this.#logUncreated(session, error)
        const last = !error.resuming && created++ === maxCreations
        if (last || !(await retries.allowed())) {
          throw error.resuming ? error : new SessionCreationError(session.to, error)
        }
        if (error.resuming) this.#parts.sessions.replace(session, 'Claude Code does not take its transcript any more')
        else this.#parts.sessions.replace(session, `it could not be created: ${error.message}`, 'new')
      }
    }
  }

  #logUncreated({ to, sessionId }: Session, { message }: StartFailed): void {
    this.#parts.log.error(`a session could not be created: ${message}`, { team: to, sessionId })
  }

  async #start(session: Session, team: TeamConfig): Promise<ClaudeProcess> {
    const { config, clock, hostFor } = this.#parts
    const { settings } = config()
    const isolated = await this.#isolated(team)
    const resuming = await this.#canResume(session)
    const startId = this.#parts.newId()
    const start = { session, startId, host: hostFor(session, startId), settings, team }
    const sessionMcp = startSessionMcp(start, this.#parts.sessionMcp)
    const facts = { ...isolated, resume: resuming, startId, sessionMcp: sessionMcp?.file }
    const child = await this.#child(session, team, facts).catch((error: unknown) => {
      sessionMcp?.end()
      throw error
    })
    this.#parts.own.set(child.pid, { session, startId })
    void child.exited.then(() => {
      this.#parts.own.delete(child.pid)
      sessionMcp?.end()
    })
    const conversation = { ...session.ids, resumed: resuming, costSoFar: resuming ? session.costSoFar : 0 }
    const process = new ClaudeProcess(child, conversation, sessionMcp?.host ?? start.host, clock)
    try {
      await process.initialize(settings.spawnTimeout)
      await sessionMcp?.confirm(process, settings.spawnTimeout)
    } catch (error) {
      const refused = process.state === 'stopped' && refusesSession(process.stderr)
      await process.stop('now')
      throw new StartFailed(failedToBeReady(session.to, settings.spawnTimeout, error), { resuming, refused })
    }
    this.#agents.set(session.to, process.agents)
    await knowsAgent(process, session)
    return process
  }

  async #child(session: Session, team: TeamConfig, prepared: Prepared): Promise<Child> {
    const { rows, transport } = this.#parts
    const command = this.#command(session, team, prepared)
    const record = launchRecord(command, team, this.#parts.secrets)
    rows.launched(session.row.id, record.command, record.snapshot)
    return transport.start(command).catch((error: unknown) => {
      throw new StartFailed(failedToStart(session.to, error), { resuming: prepared.resume, refused: false })
    })
  }

  /** Throws `unknown_agent`. A process is started only when the agent has not been seen before. */
  async checkAgent(team: string, agent: string): Promise<void> {
    const isKnown = (agents: readonly AgentFacts[] = []): boolean => agents.some(({ name }) => name === agent)
    if (isKnown(this.#agents.get(team))) return
    const agents = await this.agentsOf(team)
    if (!isKnown(agents)) throw unknownAgent(agent, team, agents)
  }

  /** The agents that Claude Code can be in a team's project, as a process says that is started for it and ended. */
  async agentsOf(name: string): Promise<readonly AgentFacts[]> {
    const { config, clock, transport, newId } = this.#parts
    const team = this.#team(name)
    await mustHaveDirectory(team, name)
    const isolated = await this.#isolated(team)
    const sessionId = newId()
    const row = { sessionId, model: null }
    const start = { ...isolated, resume: false, startId: newId(), sessionMcp: undefined }
    const command = this.#command({ thread: mainThread, sessionId, row }, team, start)
    const child = await transport.start(command).catch((error: unknown) => {
      throw failedToStart(name, error)
    })
    const process = new ClaudeProcess(child, { sessionId, resumed: false, costSoFar: 0 }, mute, clock)
    try {
      await process.initialize(config().settings.spawnTimeout)
      this.#agents.set(name, process.agents)
      return process.agents
    } catch (error) {
      throw failedToStart(name, error)
    } finally {
      await process.stop()
    }
  }

  /** Where the CLI keeps the conversations of a team, also of one that has left the config. */
  configDirectoryOf(name: string): string {
    return configDirectory(this.#environmentOf(workingTeam(this.#parts.config(), name) ?? { env: {} }, undefined))
  }

  /** The CLI's record of the conversation, brought back if it was deleted; undefined when there is none any more. */
  transcriptOf({ to, sessionId }: Pick<Session, 'to' | 'sessionId'>): Promise<string | undefined> {
    return this.#parts.kept.find(this.configDirectoryOf(to), sessionId)
  }

  /** What a person types to go on with a conversation in a terminal. */
  terminalCommand(name: string, sessionId: string): string {
    return terminalCommand(this.terminalFacts(name, sessionId))
  }

  terminalFacts(name: string, sessionId: string): TerminalFacts {
    const team = this.#team(name)
    const env = this.#environmentOf(team, undefined)
    const executable = team.claudePath ?? this.#parts.config().settings.claudePath ?? 'claude'
    const isOwnHome = env['HOME'] === this.#parts.environment['HOME']
    const home = isOwnHome ? undefined : env['HOME']
    return { directory: team.realPath, executable, configDirectory: env['CLAUDE_CONFIG_DIR'], home, sessionId }
  }

  /** Whether what is to be hidden from the team's agents is hidden. */
  async isolationOf(name: string): Promise<IsolationView> {
    const team = this.#team(name)
    const executable = await this.#executable(team).catch(() => '/')
    return this.#parts.isolations.of(team, { executable, env: this.#environmentOf(team, undefined) })
  }

  async #isolated(team: TeamConfig): Promise<Isolated> {
    const executable = await this.#executable(team)
    return { executable, env: this.#environmentOf(team, await claudeVersion(executable)) }
  }

  #environmentOf(team: Pick<TeamConfig, 'env'>, version: string | undefined): Record<string, string> {
    const { environment, config } = this.#parts
    return processEnvironment({ daemon: environment, settings: config().settings.env, team: team.env, version })
  }

  #executable(team: TeamConfig): Promise<string> {
    const path = this.#environmentOf(team, undefined)['PATH'] ?? ''
    return claudeExecutable(team.claudePath ?? this.#parts.config().settings.claudePath, path)
  }

  #team(name: string): TeamConfig {
    const team = workingTeam(this.#parts.config(), name)
    if (team) return team
    throw new IrisError('unknown_team', `There is no team "${name}" any more.`, 'Add it to config.yaml again.')
  }

  async #canResume(session: Session): Promise<boolean> {
    const { lastAnsweredDelivery } = session.row
    const path = await this.#parts.kept.findWhole(this.configDirectoryOf(session.to), session.sessionId)
    if (path === undefined) {
      if (session.hasPast) this.#parts.sessions.replace(session, `Claude Code has no transcript of it any more`)
      return false
    }
    if (lastAnsweredDelivery !== null && !(await transcriptHolds(path, lastAnsweredDelivery))) {
      const next = session.queue[0]
      if (next) next.contextReset = 'the last answer is missing from the transcript of Claude Code'
    }
    return true
  }

  #command(session: Started, team: TeamConfig, { executable, env, resume, startId, sessionMcp }: Prepared): Command {
    const { marker, isolations } = this.#parts
    const agent = agentOfThread(session.thread)
    const isolation = isolations.for(team, { executable, env })
    return {
      // In a sandbox the links that lead to it are missing.
      executable: isolation?.ownProcesses ? realpathSync(executable) : executable,
      args: commandLine({
        sessionId: session.sessionId,
        resume,
        // An agent's own model holds, unless whoever invoked it asked for another.
        model: session.row.model ?? (agent === undefined ? team.model : undefined),
        agent,
        allowedTools: team.allowedTools ?? [],
        disallowedTools: team.disallowedTools ?? [],
        appendSystemPrompt: [irisInstructions, team.appendSystemPrompt ?? ''].filter(Boolean).join('\n\n'),
        projectMcpServers: team.mcpServers === 'project',
        sessionMcp,
      }),
      cwd: team.realPath,
      env: { ...env, [markerVariable]: `${marker}.${startId}` },
      ...(isolation && { isolation }),
    }
  }
}

/** What a command line is made from. */
type Started = Pick<Session, 'thread' | 'sessionId'> & { readonly row: Pick<Session['row'], 'model'> }

/** For a process that is given no message. */
const mute: Host = {
  beforeTool: () => 'nothing was asked',
  mayUse: async () => ({ behavior: 'deny', message: 'nothing was asked' }),
  mcp: async () => undefined,
}

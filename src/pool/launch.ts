import { stat } from 'node:fs/promises'
import { commandLine } from '../claude/command-line.ts'
import { NoAnswer } from '../claude/control-channel.ts'
import { irisInstructions } from '../claude/envelope.ts'
import { configDirectory, processEnvironment } from '../claude/environment.ts'
import type { Host } from '../claude/host.ts'
import type { KeptTranscripts } from '../claude/kept-transcripts.ts'
import { ClaudeProcess } from '../claude/process.ts'
import { refusesSession } from '../claude/session-refusal.ts'
import { transcriptHolds } from '../claude/transcript.ts'
import type { Config, TeamConfig } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { IrisError } from '../protocol/error.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionRows } from '../store/sessions.ts'
import { markerVariable } from '../transport/descendants.ts'
import type { Command, Transport } from '../transport/transport.ts'
import { claudeExecutable, claudeVersion } from './claude-executable.ts'

export interface LaunchParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly sessions: Sessions
  readonly rows: SessionRows
  readonly kept: KeptTranscripts
  readonly transport: Transport
  readonly hostFor: (session: Session) => Host
  /** The daemon's own environment, of which a process is given only what is allowed by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Marks every process of this Iris; each start adds an id of its own. */
  readonly marker: string
  readonly newId: () => string
}

interface Prepared {
  readonly executable: string
  readonly env: Record<string, string>
  readonly resume: boolean
}

/** Starts processes for sessions. */
export class Launcher {
  readonly #parts: LaunchParts

  constructor(parts: LaunchParts) {
    this.#parts = parts
  }

  /**
   * Starts the session's process and waits for its answer to `initialize`: no ping, no model call. The transcript file
   * decides between a new session id and a resume; where an answered conversation has lost its file, or the CLI does not
   * take the file, the session is replaced first.
   */
  async launch(session: Session): Promise<ClaudeProcess> {
    const team = this.#team(session.to)
    await directoryOf(team, session.to)
    try {
      return await this.#start(session, team)
    } catch (error) {
      if (!(error instanceof SessionRefused)) throw error
      this.#parts.sessions.replace(session, 'Claude Code does not take its transcript any more')
      return this.#start(session, team)
    }
  }

  async #start(session: Session, team: TeamConfig): Promise<ClaudeProcess> {
    const { config, clock, rows, transport, hostFor } = this.#parts
    const { settings } = config()
    const executable = await this.#executable(team)
    const env = this.#environmentOf(team, await claudeVersion(executable))
    const resume = await this.#canResume(session)
    const command = this.#command(session, team, { executable, env, resume })
    rows.launched(session.row.id, [command.executable, ...command.args].join(' '), JSON.stringify(snapshot(team)))
    const child = await transport.start(command).catch((error: unknown) => {
      throw failedToStart(session.to, error)
    })
    const process = new ClaudeProcess(child, session.sessionId, resume ? session.costSoFar : 0, hostFor(session), clock)
    try {
      await process.initialize(settings.spawnTimeout)
    } catch (error) {
      const { state, stderr } = process
      await process.stop('now')
      if (state === 'stopped' && refusesSession(stderr)) throw new SessionRefused(session.to, error)
      if (!(error instanceof NoAnswer)) throw failedToStart(session.to, error)
      throw new IrisError(
        'spawn_timeout',
        `Claude Code for team "${session.to}" was not ready within ${settings.spawnTimeout} ms.`,
        'See whether the machine is overloaded, or raise settings.spawnTimeout.',
        { cause: error },
      )
    }
    return process
  }

  /** Where the CLI keeps the conversations of a team. */
  configDirectoryOf(name: string): string {
    return configDirectory(this.#environmentOf(this.#team(name), undefined))
  }

  /** The CLI's record of the conversation, brought back if it was deleted; undefined when there is none any more. */
  transcriptOf({ to, sessionId }: Pick<Session, 'to' | 'sessionId'>): Promise<string | undefined> {
    return this.#parts.kept.find(this.configDirectoryOf(to), sessionId)
  }

  #environmentOf(team: TeamConfig, version: string | undefined): Record<string, string> {
    const { environment, config } = this.#parts
    return processEnvironment({ daemon: environment, settings: config().settings.env, team: team.env, version })
  }

  #executable(team: TeamConfig): Promise<string> {
    const path = this.#environmentOf(team, undefined)['PATH'] ?? ''
    return claudeExecutable(team.claudePath ?? this.#parts.config().settings.claudePath, path)
  }

  #team(name: string): TeamConfig {
    const team = this.#parts.config().teams.get(name)
    if (team) return team
    throw new IrisError('unknown_team', `There is no team "${name}" any more.`, 'Add it to config.yaml again.')
  }

  async #canResume(session: Session): Promise<boolean> {
    const { messageCount, lastAnsweredDelivery } = session.row
    const path = await this.transcriptOf(session)
    if (path === undefined) {
      if (messageCount > 0) this.#parts.sessions.replace(session, `Claude Code has no transcript of it any more`)
      return false
    }
    if (lastAnsweredDelivery !== null && !(await transcriptHolds(path, lastAnsweredDelivery))) {
      const next = session.queue[0]
      if (next) next.contextReset = 'the last answer is missing from the transcript of Claude Code'
    }
    return true
  }

  #command(session: Session, team: TeamConfig, { executable, env, resume }: Prepared): Command {
    const { marker, newId } = this.#parts
    return {
      executable,
      args: commandLine({
        sessionId: session.sessionId,
        resume,
        model: team.model,
        allowedTools: team.allowedTools ?? [],
        disallowedTools: team.disallowedTools ?? [],
        appendSystemPrompt: [irisInstructions, team.appendSystemPrompt ?? ''].filter(Boolean).join('\n\n'),
        projectMcpServers: team.mcpServers === 'project',
      }),
      cwd: team.realPath,
      env: { ...env, [markerVariable]: `${marker}.${newId()}` },
    }
  }
}

/** What of a team's settings is kept with its session; no environment, it may hold secrets. */
function snapshot({ env, ...team }: TeamConfig): unknown {
  return { ...team, env: Object.keys(env) }
}

async function directoryOf({ realPath }: TeamConfig, name: string): Promise<void> {
  const facts = await stat(realPath).catch(() => undefined)
  if (facts?.isDirectory()) return
  throw new IrisError(
    'team_directory_missing',
    `The directory of team "${name}" is gone: ${realPath}.`,
    'Put it back, or correct the path of the team in config.yaml.',
  )
}

function failedToStart(team: string, cause: unknown): IrisError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new IrisError(
    'spawn_failed',
    `Claude Code for team "${team}" did not start: ${why}.`,
    'Run it there by hand to see why.',
    { cause },
  )
}

/** The CLI can do nothing with the session's transcript. */
class SessionRefused extends IrisError {
  constructor(team: string, cause: unknown) {
    const { message, remedy } = failedToStart(team, cause)
    super('spawn_failed', message, remedy, { cause })
  }
}

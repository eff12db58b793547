import type { Agent, Retries } from '../../base/agent/agent.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import type { KeptTranscripts } from '../../claude/driver/kept-transcripts.ts'
import { movedTranscript } from '../../claude/driver/moved-transcript.ts'
import { ClaudeProcess } from '../../claude/driver/process.ts'
import { sessionRefusal } from '../../claude/driver/session-refusal.ts'
import { transcriptHolds } from '../../claude/driver/transcript.ts'
import { spentOnDisk } from '../../claude/driver/transcript-cost.ts'
import { TranscriptEvidence } from '../../claude/driver/transcript-evidence.ts'
import { accountLabel } from '../../platform/config/account.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { Child } from '../../platform/machine/child.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import type { ModelChangeRows } from '../../platform/store/model-changes.ts'
import type { ProcessRows } from '../../platform/store/process-rows.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import { heldInBackground } from '../session/session-refusals.ts'
import type { Sessions } from '../session/sessions.ts'
import { mustKnowAgent } from './known-agent.ts'
import { type LaunchCommandParts, launchCommand, type Prepared } from './launch-command.ts'
import { launchRecord } from './launch-record.ts'
import { noProxySettings } from './no-proxy.ts'
import type { OwnProcesses } from './own-processes.ts'
import { attachmentsIn, placeFile } from './placed-files.ts'
import { retryUnreachable } from './retry-unreachable.ts'
import { type SessionMcpParts, startSessionMcp } from './session-mcp.ts'
import {
  deathOf,
  failedToBeReady,
  failedToStart,
  type Holding,
  SessionCreationError,
  StartFailed,
} from './start-failure.ts'
import { TeamAgents } from './team-agents.ts'
import { mustHaveDirectory } from './team-directory.ts'
import { importsOfTeam } from './team-imports.ts'
import type { TeamPrograms, TeamProgramsParts } from './team-programs.ts'
import { TeamSetups, type TeamSetupsParts } from './team-setups.ts'
import { transcriptUnreadable } from './transcript-unreadable.ts'

export interface LaunchParts extends LaunchCommandParts, TeamProgramsParts, TeamSetupsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly processRows: ProcessRows
  readonly kept: KeptTranscripts
  readonly machines: Machines
  readonly programs: TeamPrograms
  readonly seams: Pick<Seams, 'control' | 'roles' | 'telemetry'>
  readonly modelChanges: Pick<ModelChangeRows, 'leftBy'>
  readonly newId: () => string
  readonly sessionMcp: SessionMcpParts
  /** See `TeamDirectories.of`. */
  readonly directoryOf: (team: string) => Promise<string | undefined>
  /** The processes of this Iris. The launcher keeps them up to date. */
  readonly own: OwnProcesses
}

const maxCreations = 2
/** The same as `maxDeliveries`, which limits how often a message is delivered to processes that keep dying. */
const maxStarts = 4

/** Starts processes for sessions. */
export class Launcher implements Agent<Session> {
  readonly #parts: LaunchParts
  readonly programs: TeamPrograms
  readonly agents: TeamAgents
  readonly setups: TeamSetups
  readonly evidence: TranscriptEvidence

  constructor(parts: LaunchParts) {
    this.#parts = parts
    this.programs = parts.programs
    this.agents = new TeamAgents(parts, this.programs)
    this.setups = new TeamSetups(parts)
    this.evidence = new TranscriptEvidence(parts.kept, (team) => parts.machines.of(team).claude)
  }

  /**
   * Starts the session's process and waits for its answer to `initialize`, which costs no model call. If a transcript
   * exists, the session is resumed; otherwise it is created. A session whose transcript is lost or refused by the CLI
   * is replaced first. A session that cannot be created is tried once more under another id. If that fails too, this
   * throws SessionCreationError. A process that is killed while it starts, or that exits while it resumes, is started
   * again.
   */
  async launch(session: Session, retries: Retries): Promise<ClaudeProcess> {
    session.mustLive()
    const team = this.programs.team(session.to)
    await mustHaveDirectory(team, session.to, this.#parts.machines)
    for (let created = 1, starts = 1; ; starts += 1) {
      try {
        return await this.#start(session, team)
      } catch (error) {
        if (!(error instanceof StartFailed)) throw error
        retries.failed(error.message)
        const { resuming, refused } = error
        const isSame = !refused && (error.death === 'killed' || (resuming && error.death === 'exited'))
        if (resuming && !refused && !isSame) throw error
        const isLast = isSame ? starts >= maxStarts : !resuming && created++ === maxCreations
        if (isLast || !(await retries.allowed())) throw resuming ? error : new SessionCreationError(session.to, error)
        if (isSame) continue
        if (resuming) this.#parts.sessions.lose(session, 'Claude Code no longer accepts its transcript')
        else this.#parts.sessions.lose(session, `it could not be created: ${error.message}`, 'new')
      }
    }
  }

  /** Whether the team is on another machine, where its processes keep running without this daemon. */
  isRemote(team: string): boolean {
    return this.programs.remoteOf(team) !== undefined
  }

  /** Whether Iris could not reach the team's machine when it last tried. */
  isUnreachable(team: string): boolean {
    return this.#parts.machines.linkOf(team)?.state === 'unreachable'
  }

  /**
   * Finds the session's process that an earlier daemon started and that has this message. Resolves to undefined if no
   * process has the conversation. While the machine is unreachable, waits as long as the process may live there, then
   * throws `host_unreachable`.
   */
  async takeUp(session: Session, message: string, signal: AbortSignal): Promise<ClaudeProcess | undefined> {
    const { clock, seams, machines } = this.#parts
    const find = () => machines.of(session.to).takeUp(session.sessionId, message)
    const found = await retryUnreachable(find, { clock, graceMs: this.programs.linkGraceOf(session.to), signal })
    if (found === undefined) return undefined
    const { child, startId } = found
    this.#owns(child, session, startId)
    const conversation = { sessionId: session.sessionId, resumed: true, takenUp: true } as const
    const process = new ClaudeProcess(child, conversation, seams.control.of(session, startId), clock)
    process.rules.areUnknown()
    return process
  }

  #owns(child: Child, session: Session, startId: string): void {
    const own = this.#parts.own.on(this.#parts.machines.of(session.to).processes)
    own.set(child.pid, { session, startId })
    void child.exited.then(() => own.delete(child.pid))
  }

  async #start(session: Session, team: TeamConfig): Promise<ClaudeProcess> {
    const { config, clock, seams } = this.#parts
    const { settings } = config()
    this.#parts.sessions.useAccount(session, accountLabel(team.account), team.account?.mayContinue === true)
    const program = await this.programs.of(team)
    const transcript = await this.#toResume(session)
    const resuming = transcript !== undefined
    const past = resuming ? spentOnDisk(transcript, session.sessionId).catch(() => undefined) : undefined
    const startId = this.#parts.newId()
    const start = { session, startId, host: seams.control.of(session, startId), settings, team }
    const sessionMcp = await startSessionMcp(start, this.#parts.sessionMcp)
    const conversation = { sessionId: session.sessionId, transcript: transcript?.path }
    const telemetry = await this.#parts.seams.telemetry.of(session, team)
    const end = (): void => [sessionMcp, telemetry].forEach((each) => each?.end())
    const env = { ...program.env, ...telemetry?.env }
    const ownModel = resuming ? this.#parts.modelChanges.leftBy(session.row.id) : undefined
    const facts = { ...program, env, conversation, resume: resuming, ownModel, startId, sessionMcp: sessionMcp?.file }
    const hasTokens = sessionMcp !== undefined || telemetry !== undefined
    const started = { ...facts, hasTokens, telemetry: telemetry?.env }
    const child = await this.#child(session, team, started).catch((error: unknown) => {
      end()
      throw error
    })
    this.#owns(child, session, startId)
    void child.exited.then(end)
    const ids = { ...session.ids, resumed: resuming }
    const process = new ClaudeProcess(child, ids, sessionMcp?.host ?? start.host, clock)
    try {
      await process.initialize(settings.spawnTimeout)
      await sessionMcp?.confirm(process, settings.spawnTimeout, clock)
      process.countFrom(await past)
    } catch (error) {
      const refusal = process.state === 'stopped' ? sessionRefusal(process.stderr) : undefined
      const refused = refusal?.kind === 'lost'
      const death = process.diedByItself ? deathOf(await process.exited) : undefined
      const holding = await this.#holding(process, session.to)
      await process.stop('now')
      if (refusal?.kind === 'background') throw heldInBackground(refusal.job)
      const why = failedToBeReady(session.to, settings.spawnTimeout, error, holding)
      throw new StartFailed(why, { resuming, refused, death })
    }
    // A process with a narrowed role loads neither the project's agents nor its settings.
    if (roleOfThread(session.thread) === undefined) {
      this.agents.learn(session.to, process)
      const machine = this.#parts.machines.of(session.to)
      this.setups.learn(session, process, () => importsOfTeam(machine, team, program.env))
    }
    await mustKnowAgent(process, session)
    return process
  }

  async #holding({ hooks, pid, sessionId, state }: ClaudeProcess, team: string): Promise<Holding> {
    const { processes } = this.#parts.machines.of(team)
    const isSeen = state !== 'stopped'
    return { hooks: hooks.names, programs: isSeen ? await processes.programsBelow(pid, sessionId).catch(() => []) : [] }
  }

  async #child(session: Session, team: TeamConfig, facts: Prepared & WithTokens): Promise<Child> {
    const { processRows, machines } = this.#parts
    const around = { team: team.name, env: facts.env }
    const settings = facts.hasTokens ? await noProxySettings(machines.of(team.name), around, facts.telemetry) : {}
    const prepared = { ...facts, settings }
    const command = await launchCommand(session, team, prepared, this.#parts)
    const record = launchRecord(command, team, this.#parts.secrets)
    processRows.launched(session.row.id, record.command, record.snapshot)
    return machines
      .of(session.to)
      .start(command)
      .catch((error: unknown) => {
        const facts = { resuming: prepared.resume, refused: false, death: undefined }
        throw new StartFailed(failedToStart(session.to, error), facts)
      })
  }

  /** The conversation's transcript, restored if it was deleted. Undefined if there is none. */
  transcriptOf({ to, sessionId }: Pick<Session, 'to' | 'sessionId'>): Promise<FoundFile | undefined> {
    const { kept, machines } = this.#parts
    return kept.find(machines.of(to).claude, sessionId)
  }

  /**
   * Writes a file next to the conversation, where the project's agents may read it without asking. Returns its path.
   * Throws MachineError and system errors.
   */
  async place(session: Pick<Session, 'to' | 'sessionId'>, names: readonly string[], content: Buffer): Promise<string> {
    const { claude } = this.#parts.machines.of(session.to)
    const transcript = await this.transcriptOf(session)
    const place = [...attachmentsIn(this.programs.team(session.to), session.sessionId, transcript), ...names]
    return placeFile(claude, place, content)
  }

  /** The directory to which `place` writes a conversation's files, unless the team's project has been moved since. */
  attachmentsOf(team: TeamConfig, sessionId: string): string {
    return this.#parts.machines.of(team.name).claude.path(attachmentsIn(team, sessionId))
  }

  /** The transcript to resume. Undefined if the conversation starts over. Throws `transcript_unreadable`. */
  async #toResume(session: Session): Promise<FoundFile | undefined> {
    const { lastAnsweredDelivery } = session.row
    const { kept, machines } = this.#parts
    const transcript = await kept.findWhole(machines.of(session.to).claude, session.sessionId)
    if (transcript === undefined) {
      if (!session.hasPast) return undefined
      const { problem } = await this.evidence.readable(session)
      if (problem?.mayPass) throw transcriptUnreadable(session, problem.why)
      const why = problem
        ? `its transcript cannot be used: ${problem.why}`
        : 'Claude Code no longer has a transcript of it'
      this.#parts.sessions.lose(session, why)
      return undefined
    }
    if (lastAnsweredDelivery !== null && !(await transcriptHolds(transcript, lastAnsweredDelivery))) {
      session.resetContext("the last answer is missing from Claude Code's transcript")
    }
    return this.#inPlace(session, transcript)
  }

  /** Moves the transcript to where Claude Code looks for it, in case the team's path now leads to another directory. */
  async #inPlace(session: Session, transcript: FoundFile): Promise<FoundFile> {
    const realPath = await this.#parts.machines.of(session.to).project.realPath()
    if (realPath === undefined) return transcript
    return movedTranscript(transcript, realPath).catch((error: unknown) => {
      throw transcriptUnreadable(session, `it cannot be moved to ${realPath} (${String(error)})`)
    })
  }
}

interface WithTokens {
  /** Whether the process sends a token, which nobody else may read, to ports of its machine. */
  readonly hasTokens: boolean
  /** The variables of the telemetry that the process sends to Iris. Undefined if it sends none. */
  readonly telemetry: Readonly<Record<string, string>> | undefined
}

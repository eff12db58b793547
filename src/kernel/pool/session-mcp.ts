import type { ControlHandler, PermissionQuestion } from '../../base/agent/control-handler.ts'
import type { AgentProcess } from '../../base/agent/process.ts'
import { type Clock, pause } from '../../base/lib/clock.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { sessionServer } from '../../claude/driver/command-line.ts'
import type { SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import { HostFailure } from '../../platform/hosts/host-failure.ts'
import type { Session } from '../session/session.ts'
import type { Hosts } from './hosts.ts'
import type { SessionEndpoints } from './session-endpoints.ts'
import type { SessionMcpFiles } from './session-mcp-file.ts'
import { EndpointDown } from './start-failure.ts'

/** The session endpoint of one start of a process. */
export interface SessionMcp {
  /** The file for `--mcp-config`. */
  readonly file: string
  /** The control handler for the pipe; it tells the endpoint which tools have begun. */
  readonly host: ControlHandler
  /**
   * Throws unless Claude Code has exactly the connection that Iris wrote, because it would otherwise send its questions
   * elsewhere. If Claude Code asks over this connection, also throws unless the connection is up.
   */
  confirm(process: AgentProcess, timeoutMs: number, clock: Clock): Promise<void>
  /** Withdraws open questions and the token, and removes the file. */
  end(): void
}

export interface SessionMcpParts {
  readonly endpoints: SessionEndpoints
  readonly files: SessionMcpFiles
  /** The port of the daemon. */
  readonly port: () => number
  /** The machines of remote teams. */
  readonly hosts: Pick<Hosts, 'of'>
  readonly log: Log
}

export interface SessionStart {
  readonly session: Session
  readonly startId: string
  readonly host: ControlHandler
  readonly settings: SettingsConfig
  readonly team: TeamConfig
}

/** The parts of an endpoint that depend on the machine of the process. */
interface Place {
  /** The port of the session endpoints on the machine of the process. */
  readonly port: number
  readonly machine: string | undefined
  write(file: string, text: string): Promise<{ path: string; remove: () => void }>
  readonly release: () => void
}

/** Resolves to undefined if the process gets no endpoint. Throws `spawn_failed` if the file cannot be written. */
export async function startSessionMcp(start: SessionStart, parts: SessionMcpParts): Promise<SessionMcp | undefined> {
  const { session, startId, settings, team } = start
  // With the file, the CLI would also start other servers. Roles are enforced on the pipe.
  if (roleOfThread(session.thread) !== undefined) return undefined
  if (!(team.sessionMcpEnabled ?? settings.sessionMcpEnabled)) return undefined
  const directory = team.sessionMcpPath ?? settings.sessionMcpPath
  const place = await (team.remote === undefined ? here : elsewhere)(start, directory, parts)
  if (place === undefined) return undefined
  const { sessionId } = session
  const ended = new AbortController()
  const { host, mayUse } = askingOnlyOfWhatRuns(start.host, ended.signal)
  const { token, close } = parts.endpoints.open({ session, startId, mayUse, machine: place.machine })
  const url = `http://127.0.0.1:${place.port}/mcp/${sessionId}`
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
  const text = JSON.stringify({ mcpServers: { [sessionServer]: server } })
  try {
    const { path, remove } = await place.write(`${sessionId}.json`, text)
    const end = (): void => {
      ended.abort(new Error('its process has ended'))
      close()
      remove()
      place.release()
    }
    const needed = team.remote === undefined
    return {
      file: path,
      host,
      end,
      async confirm(process, timeoutMs, clock) {
        await confirmed(process, timeoutMs, server)
        if (needed) await connected(process, { timeoutMs, clock, url })
      },
    }
  } catch (error) {
    close()
    place.release()
    throw error instanceof IrisError ? error : notWritten(session.to, directory, error)
  }
}

async function here(
  { startId, team }: SessionStart,
  directory: string,
  { files, port }: SessionMcpParts,
): Promise<Place> {
  return {
    port: port(),
    machine: undefined,
    release: () => {},
    write: async (file, text) => files.write(startId, { project: team.realPath, directory, file }, text),
  }
}

/**
 * The endpoint's place on another machine. If there is no tunnel to it, logs that and resolves to undefined: the
 * process can do without an endpoint, because the pipe carries everything that it needs.
 */
async function elsewhere(
  { startId, team }: SessionStart,
  directory: string,
  { hosts, log }: SessionMcpParts,
): Promise<Place | undefined> {
  const { tunnel, host, key } = hosts.of(team)
  const without = (why: string): undefined => {
    log.warn(`no session endpoint on its machine: ${why}`, { team: team.name })
    return undefined
  }
  if (!team.enableReverseMcp) return without('sessionMcpEnabled takes enableReverseMcp: true of the team there')
  try {
    const { port, release } = await tunnel.use()
    return {
      port,
      machine: key,
      release,
      write: (file, text) => host.privateFiles.write(startId, { project: team.realPath, directory, file }, text),
    }
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error
    return without(`${error.message}. ${error.remedy}`)
  }
}

/** The most tool uses to remember. A tool use is remembered from its beginning until Claude Code asks about it. */
const maxBegun = 1000

/**
 * The endpoint asks a person only about a tool use that Claude Code announced over the pipe, and only once. A stolen
 * token therefore cannot be used to show a person invented questions.
 */
function askingOnlyOfWhatRuns(
  host: ControlHandler,
  ended: AbortSignal,
): { host: ControlHandler; mayUse: ControlHandler['mayUse'] } {
  const begun = new Map<string, string>()
  const beforeTool: ControlHandler['beforeTool'] = (start) => {
    begun.set(start.toolUseId, start.toolName)
    const [oldest] = begun.keys()
    if (begun.size > maxBegun && oldest !== undefined) begun.delete(oldest)
    return host.beforeTool(start)
  }
  const mayUse = async (question: PermissionQuestion, signal: AbortSignal) => {
    const { toolUseId, toolName } = question
    if (begun.get(toolUseId) !== toolName) {
      const message = `Claude Code has not begun ${toolName} as tool use "${toolUseId}", or has asked about it before.`
      return { behavior: 'deny' as const, message }
    }
    begun.delete(toolUseId)
    const withdrawn = new AbortController()
    // Drops the transport's reason: for the person, the question is just withdrawn.
    if (signal.aborted) withdrawn.abort()
    signal.addEventListener('abort', () => withdrawn.abort(), { once: true })
    return host.mayUse(question, AbortSignal.any([withdrawn.signal, ended]))
  }
  return { host: { ...host, beforeTool }, mayUse }
}

async function confirmed(process: AgentProcess, timeoutMs: number, written: Connection): Promise<void> {
  const held = (await process.inquiries.mcpServers(timeoutMs)).filter(({ name }) => name === sessionServer)
  const config = held[0]?.['config']
  const headers = isRecord(config) && isRecord(config['headers']) ? config['headers'] : {}
  const isOurs =
    isRecord(config) && config['url'] === written.url && headers['Authorization'] === written.headers.Authorization
  if (held.length !== 1 || !isOurs) {
    throw new Error(`somebody changed the file: its MCP server ${sessionServer} is not the one that Iris wrote`)
  }
}

const lookEveryMs = 50

/** Without the endpoint, Claude Code could not ask questions, and would end in the middle of its turn. */
async function connected(
  { inquiries }: AgentProcess,
  { timeoutMs, clock, url }: { readonly timeoutMs: number; readonly clock: Clock; readonly url: string },
): Promise<void> {
  for (const began = clock.elapsed(); ; ) {
    const [server] = (await inquiries.mcpServers(timeoutMs)).filter(({ name }) => name === sessionServer)
    const { status, error } = server ?? {}
    if (status === 'connected') return
    const isLate = clock.elapsed() - began >= timeoutMs
    if (status !== 'pending' || isLate) {
      const why = typeof error === 'string' ? error : `the connection is ${String(status)}`
      throw new EndpointDown(`Claude Code cannot reach ${url} (${why})`)
    }
    await pause(clock, lookEveryMs)
  }
}

interface Connection {
  readonly url: string
  readonly headers: { readonly Authorization: string }
}

function notWritten(team: string, directory: string, error: unknown): IrisError {
  const why = error instanceof Error ? error.message : String(error)
  return new IrisError(
    'spawn_failed',
    `The session MCP configuration of team "${team}" could not be written into ${directory} (${why}).`,
    'Make it a directory that you own and that is not a link, choose another one with sessionMcpPath, or set sessionMcpEnabled: false.',
    { cause: error },
  )
}

import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { sessionServer } from '../../claude/driver/command-line.ts'
import type { ControlHandler, PermissionQuestion } from '../../claude/driver/control-handler.ts'
import type { ClaudeProcess } from '../../claude/driver/process.ts'
import type { SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import { HostFailure } from '../../platform/hosts/host-failure.ts'
import type { Session } from '../session/session.ts'
import type { Hosts } from './hosts.ts'
import type { SessionEndpoints } from './session-endpoints.ts'
import type { SessionMcpFiles } from './session-mcp-file.ts'

/** What one start of a process has for HTTP. */
export interface SessionMcp {
  /** The file for `--mcp-config`. */
  readonly file: string
  /** The one for its pipe: the endpoint must know what runs. */
  readonly host: ControlHandler
  /** Throws when Claude Code holds another connection under the name than the one written: it would ask somebody else. */
  confirm(process: ClaudeProcess, timeoutMs: number): Promise<void>
  /** Withdraws what is open, and the token, and removes the file. */
  end(): void
}

export interface SessionMcpParts {
  readonly endpoints: SessionEndpoints
  readonly files: SessionMcpFiles
  /** The port of the daemon. */
  readonly port: () => number
  /** The machines of teams that live elsewhere. */
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

/** Where a process is, as far as its file and its way to its endpoint depend on it. */
interface Place {
  /** That leads to the endpoints of sessions from where the process is. */
  readonly port: number
  readonly machine: string | undefined
  write(file: string, text: string): Promise<{ path: string; remove: () => void }>
  readonly release: () => void
}

/** Undefined where no process of the team gets one. Throws `spawn_failed` when the file cannot be written. */
export async function startSessionMcp(start: SessionStart, parts: SessionMcpParts): Promise<SessionMcp | undefined> {
  const { session, startId, settings, team } = start
  // It would also start with what else the file names, and its role is enforced on the pipe.
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
    return { file: path, host, end, confirm: (process, timeoutMs) => confirmed(process, timeoutMs, server) }
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
    ...{ port: port(), machine: undefined, release: () => {} },
    write: async (file, text) => files.write(startId, { project: team.realPath, directory, file }, text),
  }
}

/** Undefined, and said, where there is no way back: its pipe has all that it needs. */
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
      ...{ port, machine: key, release },
      write: (file, text) => host.privateFiles.write(startId, { project: team.realPath, directory, file }, text),
    }
  } catch (error) {
    if (!(error instanceof HostFailure)) throw error
    return without(`${error.message}. ${error.remedy}`)
  }
}

/** So many tool uses are remembered as begun and not yet asked about. */
const maxBegun = 1000

/**
 * The endpoint puts a question only about a tool that Claude Code has announced over the pipe, and once: whoever else got
 * hold of the token cannot lay questions of his making before a person.
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
    // Whatever the transport gives as its reason: to whoever is asked it is withdrawn.
    if (signal.aborted) withdrawn.abort()
    signal.addEventListener('abort', () => withdrawn.abort(), { once: true })
    return host.mayUse(question, AbortSignal.any([withdrawn.signal, ended]))
  }
  return { host: { ...host, beforeTool }, mayUse }
}

async function confirmed(process: ClaudeProcess, timeoutMs: number, written: Connection): Promise<void> {
  const held = (await process.mcpServers(timeoutMs)).filter(({ name }) => name === sessionServer)
  const config = held[0]?.['config']
  const headers = isRecord(config) && isRecord(config['headers']) ? config['headers'] : {}
  const isOurs =
    isRecord(config) && config['url'] === written.url && headers['Authorization'] === written.headers.Authorization
  if (held.length !== 1 || !isOurs) {
    throw new Error(`what it has as MCP server ${sessionServer} is not what Iris wrote: the file was changed`)
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
    `The session MCP configuration of team "${team}" could not be written into ${directory}: ${why}.`,
    'Make that a directory of your own that is no link, name another one in sessionMcpPath, or switch sessionMcpEnabled off.',
    { cause: error },
  )
}

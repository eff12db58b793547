import { isRecord } from '../../base/lib/is-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { sessionServer } from '../../claude/driver/command-line.ts'
import type { ControlHandler, PermissionQuestion } from '../../claude/driver/control-handler.ts'
import type { ClaudeProcess } from '../../claude/driver/process.ts'
import type { SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import type { Session } from '../session/session.ts'
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
}

export interface SessionStart {
  readonly session: Session
  readonly startId: string
  readonly host: ControlHandler
  readonly settings: SettingsConfig
  readonly team: TeamConfig
}

/** Undefined where no process of the team gets one. Throws `spawn_failed` when the file cannot be written. */
export function startSessionMcp(
  start: SessionStart,
  { endpoints, files, port }: SessionMcpParts,
): SessionMcp | undefined {
  const { session, startId, settings, team } = start
  // A process on another machine has no way to this port.
  if (team.remote !== undefined || !(team.sessionMcpEnabled ?? settings.sessionMcpEnabled)) return undefined
  const { sessionId } = session
  const ended = new AbortController()
  const { host, mayUse } = askingOnlyOfWhatRuns(start.host, ended.signal)
  const { token, close } = endpoints.open({ session, startId, mayUse })
  const url = `http://127.0.0.1:${port()}/mcp/${sessionId}`
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
  const text = JSON.stringify({ mcpServers: { [sessionServer]: server } })
  const directory = team.sessionMcpPath ?? settings.sessionMcpPath
  try {
    const { path, remove } = files.write(
      startId,
      { project: team.realPath, directory, file: `${sessionId}.json` },
      text,
    )
    const end = (): void => {
      ended.abort(new Error('its process has ended'))
      close()
      remove()
    }
    return { file: path, host, end, confirm: (process, timeoutMs) => confirmed(process, timeoutMs, server) }
  } catch (error) {
    close()
    throw notWritten(session.to, directory, error)
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

import type {
  ControlHandler,
  PermissionAnswer,
  PermissionQuestion,
  ToolRefusal,
  ToolStart,
} from '../../base/agent/control-handler.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import { foregroundInput } from '../../claude/driver/synchronous-agents.ts'
import { contracts, isOperation } from '../../features/contracts.ts'
import type { Orchestrator } from '../accept/orchestrator.ts'
import { beforeTool, type FenceParts, startedTool } from '../recover/fence.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import { type RecordParts, ToolRecords } from './tool-records.ts'

/** The server that answers a process's calls to Iris, message by message. */
export interface PipeServer {
  readonly receive: (message: unknown, signal: AbortSignal) => Promise<unknown>
}

/** Handles a process's calls to Iris and its questions about tools. */
export interface HostParts extends Omit<FenceParts, 'clock' | 'log'>, RecordParts {
  readonly log: Log
  readonly seams: Seams
  readonly orchestrator: Pick<Orchestrator, 'chainOf'>
  /** Creates the server for one start of the session's process. */
  readonly serve: (session: Session) => PipeServer
}

/** The control handler of one process: the fence, permission questions, calls of Iris's tools. */
export function hostFor(session: Session, startId: string, parts: HostParts): ControlHandler {
  const { collisions, rules } = parts.seams
  rules.processStarts(session, startId)
  const server = parts.serve(session)
  const records = new ToolRecords(session, parts)
  return {
    beforeTool(start) {
      if (start.unsolicited) session.tookUnsolicitedTool(start.toolUseId)
      const recorded = (refused: ToolRefusal): ToolRefusal => {
        if (refused === undefined) records.mayRun({ ...start, input: foregroundInput(start) ?? start.input })
        return refused
      }
      const refused = judged(session, start, parts, records)
      return refused instanceof Promise ? refused.then(recorded) : recorded(refused)
    },
    afterTool: (ran) => records.ran(ran),
    toolRefused: (refused) => records.refusedByClaude(refused),
    mustAsk: ({ toolUseId }) => collisions.isAsked(toolUseId),
    noteFor: () => collisions.noteFor(session),
    mayUse: async (question, signal, isRepeated) => {
      records.asksAbout(question)
      const answer = await decided({ session, startId, records, signal, isRepeated }, question, parts)
      if (answer.behavior === 'allow') records.isAllowed(question.toolUseId, answer.updatedInput)
      // If the question was withdrawn, a hook of the project may have answered it; the tool then runs.
      else if (!signal.aborted) records.isDenied(question.toolUseId)
      return answer
    },
    mcp: async (message, signal, isRepeated) => (isRepeated && notAgain(message)) || server.receive(message, signal),
  }
}

/** Iris's decision about a tool before Claude Code judges it. */
function judged(
  session: Session,
  start: ToolStart,
  parts: HostParts,
  records: ToolRecords,
): ToolRefusal | Promise<ToolRefusal> {
  const { collisions, rules } = parts.seams
  const judge = (): ToolRefusal | Promise<ToolRefusal> =>
    refusedByRule(session, start, parts, records) ??
    collisions.beforeTool(session, start) ??
    beforeTool(session, start, parts) ??
    sharedStart(session, start, start.toolName, parts)
  return (
    rules.look(session, start)?.then((why) => {
      if (why === undefined) return judge()
      records.refused(start, why)
      return why
    }) ?? judge()
  )
}

interface Deciding {
  readonly session: Session
  readonly startId: string
  readonly records: ToolRecords
  readonly signal: AbortSignal
  readonly isRepeated: boolean | undefined
}

/** The answer to Claude Code's question about a tool: by the team's mode, or by a person. */
async function decided(
  { session, startId, records, signal, isRepeated }: Deciding,
  question: PermissionQuestion,
  parts: HostParts,
): Promise<PermissionAnswer> {
  const { collisions, rules } = parts.seams
  const { decision, why } = rules.evaluate(session, question)
  const collision = collisions.question(question.toolUseId)
  if (decision === 'allow' && collision === undefined) return { behavior: 'allow', updatedInput: question.input }
  // If `grantPermission: no` denies a tool that a rule allows, Claude Code asked only because of the collision.
  const isAllowedByRule = collision !== undefined && rules.refusal(session, question) === undefined
  if (decision === 'deny' && !isAllowedByRule) {
    records.refused(question, why)
    return { behavior: 'deny', message: why }
  }
  const asker = askerOf(session, startId, question.toolUseId, parts)
  const mode = decision === 'forward' ? 'forward' : 'ask'
  const asked = collision === undefined ? question : { ...question, why: collision.why }
  const answer = await rules.ask(asker, mode, asked, signal, isRepeated)
  if (answer.behavior === 'deny') return answer
  collision?.allowed()
  // Another host may have taken over the conversation while a person was deciding.
  const refused = await sharedStart(session, undefined, question.toolName, parts)
  return refused === undefined ? answer : { behavior: 'deny', message: refused }
}

/** The turn for which the process asks a person about a tool. */
function askerOf(session: Session, processStart: string, toolUseId: string, { orchestrator }: HostParts) {
  const turn = session.turnOf(toolUseId)
  return { session, processStart, turn, chain: turn ? orchestrator.chainOf(turn) : [session.from, session.to] }
}

/**
 * In a conversation that several hosts may lead, informs the other hosts of a tool before it may run. `start` is
 * undefined if they already know of the tool.
 */
function sharedStart(
  session: Session,
  start: ToolStart | undefined,
  tool: string,
  { secrets, log, seams }: HostParts,
): Promise<ToolRefusal> | undefined {
  const { shared } = seams.otherHosts
  if (!shared.concerns(session)) return undefined
  return shared.starts(session, start && startedTool(session, start, secrets)).then(
    (isOurs) => (isOurs ? undefined : 'Another host has taken over this conversation, so the tool may not run here.'),
    (error: unknown) => {
      log.error(`a tool start did not reach the other hosts: ${String(error)}`, { tool })
      return 'Iris could not inform the other hosts about this tool, so the tool must not run. Say so in your answer.'
    },
  )
}

/** Refuses a tool that the owner's rules deny, whatever a person's own settings allow. */
function refusedByRule(session: Session, start: ToolStart, { seams }: HostParts, records: ToolRecords): ToolRefusal {
  const why = seams.rules.refusal(session, start)
  if (why !== undefined) records.refused(start, why)
  return why
}

/** Tools that have an effect but may be called again, because a repeated tool use counts as the same message. */
const repeatable = new Set(['send_message', 'ask_message', 'quick_message'])

/**
 * The answer to a repeated call of a tool that may have taken effect before Iris restarted; undefined for other calls.
 */
function notAgain(message: unknown): unknown {
  const { id, method, params } = isRecord(message) ? message : {}
  const name = isRecord(params) ? String(params['name']) : ''
  if (method !== 'tools/call' || repeatable.has(name) || (isOperation(name) && contracts[name].readOnly))
    return undefined
  const text = `Iris was restarted while ${name} was running. It may or may not have taken effect: check before you call it again.`
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }
}

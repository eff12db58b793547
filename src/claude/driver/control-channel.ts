import { randomUUID } from 'node:crypto'
import type { ControlHandler, PermissionQuestion, ToolRefusal, ToolStart } from '../../base/agent/control-handler.ts'
import { type Line } from '../../base/agent/line.ts'
import type { UnsolicitedCause } from '../../base/agent/unsolicited-turn.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { type Deferred, deferred } from '../../base/lib/deferred.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { irisTools } from './command-line.ts'
import { HandedRules } from './handed-rules.ts'
import { HeldQuestions } from './held-questions.ts'
import { RefusedTools } from './refused-tools.ts'
import { SessionDefaults } from './session-defaults.ts'
import { SetupReport } from './setup-report.ts'
import { foregroundInput } from './synchronous-agents.ts'

type Fields = Record<string, unknown>

/** Tells which message or unsolicited turn the process's tool uses belong to. */
interface ToolOwners {
  /** The tool use that started an agent. */
  readonly toolUseOf: (agentId: string, agentType: string) => string | undefined
  /** The unsolicited turn in progress. */
  readonly unsolicited: () => UnsolicitedCause | undefined
  /** Called when a tool may run. */
  readonly toolRuns: () => void
}

/** The id of the hook that reports that a tool has run. */
export const ranCallback = 'post'
const afterTool = [{ matcher: '*', hookCallbackIds: [ranCallback] }]

/**
 * Fields of `initialize`: the CLI asks before every tool, reports the input with which it ran, and offers the tools
 * that Iris serves over the pipe.
 */
export const hooksAndTools = {
  hooks: {
    PreToolUse: [{ matcher: '*', hookCallbackIds: ['pre'] }],
    PostToolUse: afterTool,
    PostToolUseFailure: afterTool,
  },
  sdkMcpServers: ['iris'],
}

/** How long `takeUp` waits for the process to answer before it asks again. */
const answeredMs = 30_000

/** The CLI did not answer a request in time. */
export class NoAnswer extends Error {}

/**
 * Control requests in both directions over one pipe. With `--replay-user-messages`, the CLI also echoes our own
 * answers. Nobody waits for their ids, so the echoes are dropped.
 */
export class ControlChannel {
  readonly #write: (message: unknown) => void
  readonly #host: ControlHandler
  readonly #clock: Clock
  readonly #owners: ToolOwners
  readonly #sent = new Map<string, Deferred<Fields>>()
  readonly #received = new Map<string, AbortController>()
  readonly #refused = new RefusedTools()
  #held: HeldQuestions | undefined
  #isClosed = false
  readonly rules = new HandedRules((settings, timeoutMs) =>
    this.request('apply_flag_settings', { settings }, timeoutMs),
  )
  readonly defaults = new SessionDefaults((subtype, fields, timeoutMs) => this.request(subtype, fields, timeoutMs))
  readonly setup = new SetupReport((subtype, fields, timeoutMs) => this.request(subtype, fields, timeoutMs))

  constructor(write: (message: unknown) => void, host: ControlHandler, clock: Clock, owners: ToolOwners) {
    this.#owners = owners
    this.#write = write
    this.#host = host
    this.#clock = clock
  }

  /** Requests of the CLI that Iris has not answered yet: a person is deciding, or one of Iris's tools is running. */
  get openQuestions(): number {
    return this.#received.size
  }

  /** Rejects if the CLI refuses the request or exits, and with `NoAnswer` after `timeoutMs`. */
  request(subtype: string, fields: Fields, timeoutMs: number): Promise<Fields> {
    const id = randomUUID()
    const answer = deferred<Fields>()
    this.#sent.set(id, answer)
    const cancelTimer = this.#clock.after(timeoutMs, () =>
      answer.reject(new NoAnswer(`claude did not answer "${subtype}" within ${timeoutMs} ms`)),
    )
    this.#write({ type: 'control_request', request_id: id, request: { subtype, ...fields } })
    return answer.promise.finally(() => {
      cancelTimer()
      this.#sent.delete(id)
    })
  }

  /** Whether the process answers in time. A healthy process takes at most 50 ms, even while a tool is running. */
  answers(timeoutMs: number): Promise<boolean> {
    return this.request('get_context_usage', {}, timeoutMs).then(
      () => true,
      // A refusal also shows that the process is alive.
      (error: unknown) => !(error instanceof NoAnswer),
    )
  }

  /**
   * Takes over a process that an earlier Iris started. Keeps its questions until Iris has read all earlier output
   * (`caughtUp`) and the process has read all earlier input. The process answers in input order, so its answer to one
   * more request proves the latter. Then handles the questions that are still unanswered.
   */
  async takeUp(caughtUp: Promise<void> | undefined): Promise<void> {
    const held = new HeldQuestions()
    this.#held = held
    await caughtUp
    for (let isAnswered = false; !isAnswered && !this.#isClosed; ) {
      isAnswered = await this.answers(answeredMs)
    }
    if (!this.#isClosed) for (const question of held.release()) this.#asked(question, true)
  }

  /** True if the line belonged to the channel. */
  take(line: Line): boolean {
    if (this.#held?.take(line)) return true
    if (line.type === 'control_response') this.#answered(line)
    else if (line.type === 'control_request') this.#asked(line)
    else if (line.type === 'control_cancel_request') this.#received.get(String(line['request_id']))?.abort()
    else {
      this.defaults.take(line)
      this.setup.take(line)
      for (const tool of this.#refused.take(line)) this.#host.toolRefused(tool)
      return false
    }
    return true
  }

  close(why: Error): void {
    this.#isClosed = true
    for (const answer of this.#sent.values()) answer.reject(why)
    for (const question of this.#received.values()) question.abort(why)
  }

  #answered(line: Line): void {
    const response = isRecord(line['response']) ? line['response'] : {}
    const answer = this.#sent.get(String(response['request_id']))
    if (response['subtype'] === 'success') answer?.resolve(isRecord(response['response']) ? response['response'] : {})
    else answer?.reject(new Error(typeof response['error'] === 'string' ? response['error'] : 'refused by claude'))
  }

  #asked(line: Line, isRepeated = false): void {
    const id = String(line['request_id'])
    const request = isRecord(line['request']) ? line['request'] : {}
    const question = new AbortController()
    this.#received.set(id, question)
    void this.#answer(request, question.signal, isRepeated)
      .then(
        (response) => ({ subtype: 'success', request_id: id, response }),
        (error: unknown) => ({ subtype: 'error', request_id: id, error: String(error) }),
      )
      .then((response) => {
        this.#received.delete(id)
        this.#write({ type: 'control_response', response })
      })
  }

  async #answer(request: Fields, signal: AbortSignal, isRepeated: boolean): Promise<unknown> {
    switch (request['subtype']) {
      case 'hook_callback': {
        const start = toToolStart(request, this.#owners)
        if (request['callback_id'] === ranCallback) {
          this.#host.afterTool(start)
          return { continue: true }
        }
        this.#refused.isAsked(start.toolUseId)
        // The CLI treats an error as permission, so every failure here must become a refusal.
        const refusal = await askedBefore(this.#host, start)
        if (refusal !== undefined) return refusedTool(refusal)
        this.#owners.toolRuns()
        const isAllowed = start.toolName.startsWith(`${irisTools}__`) || (await this.rules.inForce())
        const mayGoOn = isAllowed && !this.#host.mustAsk(start)
        return startedTool(mayGoOn, foregroundInput(start), this.#host.noteFor(start))
      }
      case 'can_use_tool':
        return this.#host.mayUse(toQuestion(request), signal, isRepeated)
      case 'mcp_message': {
        const answer = await this.#host.mcp(request['message'], signal, isRepeated)
        // A notification has no answer, but the CLI waits for one.
        return { mcp_response: answer ?? { jsonrpc: '2.0', id: 0, result: {} } }
      }
      default:
        throw new Error(`Iris does not know the control request "${String(request['subtype'])}"`)
    }
  }
}

async function askedBefore(host: ControlHandler, start: ToolStart): Promise<ToolRefusal> {
  try {
    return await host.beforeTool(start)
  } catch (error) {
    return `Iris could not decide about this tool: ${String(error)}`
  }
}

/** Without a decision in the output, the CLI applies its own rules, even to a changed input. */
export function startedTool(mayGoOn: boolean, updatedInput: Readonly<Fields> | undefined, note?: string): Fields {
  const more = { ...(updatedInput && { updatedInput }), ...(note !== undefined && { additionalContext: note }) }
  if (Object.keys(more).length === 0) return mayGoOn ? { continue: true } : toolToAsk
  const output = mayGoOn ? { hookEventName: 'PreToolUse' } : toolToAsk.hookSpecificOutput
  return { continue: true, hookSpecificOutput: { ...output, ...more } }
}

export function refusedTool(reason: string): Fields {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  }
}

/** Makes the CLI ask even if a rule allows the tool. */
export const toolToAsk = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }

function toToolStart(request: Fields, { toolUseOf, unsolicited }: ToolOwners): ToolStart {
  const input = isRecord(request['input']) ? request['input'] : {}
  const agent = input['agent_id']
  return {
    toolName: String(input['tool_name']),
    toolUseId: String(request['tool_use_id'] ?? input['tool_use_id']),
    input: input['tool_input'],
    within: typeof agent === 'string' ? toolUseOf(agent, String(input['agent_type'])) : undefined,
    // A subagent works for the message that started it, whatever turn is in progress.
    unsolicited: typeof agent === 'string' ? undefined : unsolicited(),
    transcriptPath: typeof input['transcript_path'] === 'string' ? input['transcript_path'] : undefined,
  }
}

function toQuestion(request: Fields): PermissionQuestion {
  return {
    toolName: String(request['tool_name']),
    toolUseId: String(request['tool_use_id']),
    input: isRecord(request['input']) ? request['input'] : {},
    suggestions: Array.isArray(request['permission_suggestions']) ? request['permission_suggestions'] : [],
    blockedPath: typeof request['blocked_path'] === 'string' ? request['blocked_path'] : undefined,
  }
}

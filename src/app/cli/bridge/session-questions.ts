import { setTimeout as delay } from 'node:timers/promises'
import { request } from '../../../adapters/client/exchange.ts'
import type { JsonRpcMessage, JsonRpcRequest } from '../../../adapters/client/json-rpc.ts'
import { metaOf } from '../../../adapters/client/json-rpc.ts'
import { type Input, type Output, toolCall, toolResult } from '../../../adapters/client/tool-call.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import type { Log } from '../../../base/lib/log.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import type { DaemonLink } from './daemon-link.ts'
import { shareOf } from './home-lines.ts'
import { questionForm } from './question-form.ts'

export interface SessionQuestionsParts {
  readonly link: DaemonLink
  /** The session, as its calls name it. */
  readonly console: string
  readonly directory: string | undefined
  /** Where the Claude Code that started the bridge keeps its settings. */
  readonly configDirectory: string
  readonly shareName: string
  /** Whether a person has the session open now. */
  readonly isOpen: () => boolean
  readonly send: (message: JsonRpcMessage) => void
  readonly newId: () => string
  readonly log: Log
}

const pauseMs = 2000
/** The pause after a refusal, because another version of the daemon may run later. */
const longPauseMs = 60_000
/** How long an answer may take to reach the daemon, even if the client closes right after it. */
const answerMs = 10_000
/** The first revision of MCP with forms, and the first one in which a server can ask only in its answer to a call. */
const [firstWithForms, withoutForms] = ['2025-06-18', '2026-07-28']
const capability = 'io.modelcontextprotocol/clientCapabilities'
const information = 'io.modelcontextprotocol/clientInfo'

type Call = 'session_questions' | 'answer_permission'

/**
 * Asks a person the permission questions that a session's messages led to, in that session itself, as MCP forms. An
 * answer goes to the daemon as the owner's. Without an answer, for whatever reason, the question stays open elsewhere.
 */
export class SessionQuestions {
  readonly #parts: SessionQuestionsParts
  /** Questions that this session was asked, with the id of the form while it is open. */
  readonly #known = new Map<string, string | undefined>()
  readonly #forms = new Map<string, PermissionView>()
  readonly #over = new AbortController()
  #hasForms = false
  #listens = false

  constructor(parts: SessionQuestionsParts) {
    this.#parts = parts
  }

  /**
   * Whether to answer `server/discover` like a server that does not know this method. Claude Code then falls back to
   * revision 2025-11-25, in which it can be asked while a call is running.
   */
  async wantsFallback(discover: JsonRpcRequest): Promise<boolean> {
    const meta = metaOf(discover)
    if (!canShowForms(meta[information], meta[capability])) return false
    try {
      const { isOn } = await this.#call(await this.#parts.link.current(), 'session_questions', this.#session())
      return isOn
    } catch (error) {
      this.#parts.log.debug(`questions do not come up in this session: ${String(error)}`)
      return false
    }
  }

  /** Takes note of a request of the client on its way to the daemon. */
  hears({ method, params = {} }: JsonRpcRequest): void {
    if (method === 'initialize') {
      const revision = String(params['protocolVersion'])
      const isOfForms = revision >= firstWithForms && revision < withoutForms
      this.#hasForms = isOfForms && canShowForms(params['clientInfo'], params['capabilities'])
    }
    if (method !== 'tools/call' || !this.#hasForms || this.#listens) return
    this.#listens = true
    void this.#listen(this.#over.signal)
  }

  /** Handles the client's answer to a form. Any other answer is ignored. */
  answered({ id, result, error }: JsonRpcMessage): void {
    const permission = this.#forms.get(String(id))
    if (permission === undefined) return
    this.#forms.delete(String(id))
    this.#known.set(permission.permissionId, undefined)
    if (error !== undefined) this.#parts.log.debug(`a question was not shown: ${error.message}`)
    const decision = decisionIn(result)
    if (decision !== undefined) void this.#decide(permission, decision)
  }

  close(): void {
    this.#over.abort()
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { link } = this.#parts
    while (!signal.aborted) {
      try {
        const daemon = await link.whenRunning(signal)
        const input = { ...this.#session(), known: [...this.#known.keys()] }
        this.#show((await this.#call(daemon, 'session_questions', input, signal)).permissions, daemon)
      } catch (error) {
        await delay(isLoss(error) ? pauseMs : longPauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  #show(permissions: readonly PermissionView[], { url }: FoundDaemon): void {
    const { send, isOpen, newId } = this.#parts
    const waiting = new Set(permissions.map(({ permissionId }) => permissionId))
    for (const [permissionId, form] of this.#known) if (!waiting.has(permissionId)) this.#withdraw(permissionId, form)
    for (const permission of permissions) {
      if (this.#known.has(permission.permissionId)) continue
      const form = isOpen() ? `iris-question-${newId()}` : undefined
      this.#known.set(permission.permissionId, form)
      if (form === undefined) continue
      this.#forms.set(form, permission)
      send({ jsonrpc: '2.0', id: form, method: 'elicitation/create', params: { ...questionForm(permission, url) } })
    }
  }

  #withdraw(permissionId: string, form: string | undefined): void {
    this.#known.delete(permissionId)
    if (form === undefined || !this.#forms.delete(form)) return
    const params = { requestId: form, reason: 'The question was answered elsewhere, or nobody needs it any more.' }
    this.#parts.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  async #decide({ permissionId, inputHash }: PermissionView, decision: 'allow' | 'deny'): Promise<void> {
    const { link, log } = this.#parts
    try {
      const answer = { permissionId, inputHash, decision, answeredIn: 'Claude Code' } as const
      await this.#call(await link.current(), 'answer_permission', answer, AbortSignal.timeout(answerMs))
    } catch (error) {
      log.warn(`an answer to a question did not reach the daemon: ${String(error)}`, { permission: permissionId })
      // The question is still open, so the person is asked again.
      if (isLoss(error)) this.#known.delete(permissionId)
    }
  }

  #session(): Input<'session_questions'> {
    const { console, directory, configDirectory } = this.#parts
    return { console, configDirectory, ...(directory !== undefined && { directory }) }
  }

  /** Calls over HTTP, where the daemon sees whose process is calling; the socket gives only the rights of programs. */
  async #call<Name extends Call>(
    daemon: FoundDaemon,
    name: Name,
    input: Input<Name>,
    signal = this.#over.signal,
  ): Promise<Output<Name>> {
    const { shareName, newId, link } = this.#parts
    if (daemon.owner === undefined)
      throw new IrisError('not_allowed', "Iris cannot read the owner's credential.", 'Answer on the dashboard.')
    const endpoint = { ...daemon.mcp, token: daemon.owner, share: shareOf(daemon, shareName) }
    try {
      return toolResult(name, await request(endpoint, toolCall(newId(), name, input), signal))
    } catch (error) {
      if (isLoss(error)) link.lost(daemon)
      throw error
    }
  }
}

/** Whether the client is Claude Code and can show forms. An empty `elicitation` capability means forms, too. */
function canShowForms(client: unknown, capabilities: unknown): boolean {
  if (!isRecord(client) || client['name'] !== 'claude-code') return false
  const forms = isRecord(capabilities) ? capabilities['elicitation'] : undefined
  return isRecord(forms) && (forms['form'] !== undefined || Object.keys(forms).length === 0)
}

/** Declining the form means no. Cancelling it, or a form without a choice, is not an answer. */
function decisionIn(result: unknown): 'allow' | 'deny' | undefined {
  if (!isRecord(result)) return undefined
  if (result['action'] === 'decline') return 'deny'
  const given = result['action'] === 'accept' && isRecord(result['content']) ? result['content']['decision'] : undefined
  return given === 'allow' || given === 'deny' ? given : undefined
}

function isLoss(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'daemon_unreachable'
}

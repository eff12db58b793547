import type { ControlHandler } from '../../src/base/agent/control-handler.ts'
import type { Line } from '../../src/base/agent/line.ts'
import type { PermissionLists } from '../../src/base/agent/permission-lists.ts'
import type { AgentProcess } from '../../src/base/agent/process.ts'
import type { Prompt, RunEnd, RunListener } from '../../src/base/agent/run.ts'
import type { ClaudeResult } from '../../src/base/agent/run-result.ts'
import type { Exit, StopManner } from '../../src/base/lib/program-end.ts'
import { Subject } from '../../src/base/lib/subject.ts'
import type { ProcessState } from '../../src/base/protocol/event.ts'
import type { Entry } from './conversation.ts'
import type { EchoAgent } from './echo-agent.ts'

interface EchoProcessParts {
  readonly agent: EchoAgent
  readonly sessionId: string
  readonly pid: number
  readonly host: ControlHandler
  /** Whether its daemon still hears it. */
  readonly isHeard: () => boolean
  readonly onGone: () => void
}

/** A message under way. */
interface Running {
  readonly uuid: string
  readonly listener: RunListener
  readonly end: (end: RunEnd) => void
  hasBegun: boolean
  /** What joined it. */
  readonly joined: string[]
}

const nothingAllowed: PermissionLists = { allow: [], ask: [], deny: [], skillCommands: false }
const nothingUsed = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
/** How long each step of the agent takes. */
const stepMs = 10

/** One process of an echo agent: an object that lives until it is stopped or killed. */
export class EchoProcess implements AgentProcess {
  readonly sessionId: string
  readonly pid: number
  readonly resumed: boolean
  readonly startedAt: number
  readonly readyMs = 1
  readonly stderr = ''
  readonly agents = []
  readonly toolsRunning = []
  readonly openQuestions = 0
  readonly answeringTasks = []
  readonly commandsLeft = []
  readonly unsolicited$ = new Subject<never>().asObservable()
  readonly foreign$ = new Subject<never>().asObservable()
  readonly activity = { turnEnd: undefined }
  readonly hooks = { names: [] }
  readonly link = {}
  readonly context = { share: undefined, cacheMs: 0 }
  readonly rules = { isStale: false, strictest: nothingAllowed, hand: async () => undefined }
  readonly inquiries = { contextUsage: async () => undefined, mcpServers: async () => [] }
  readonly #parts: EchoProcessParts
  readonly #exit = Promise.withResolvers<Exit>()
  readonly #entries: Entry[]
  state: ProcessState = 'idle'
  diedByItself = false
  #running: Running | undefined
  #isInterrupted = false
  #ids = 0

  constructor(parts: EchoProcessParts) {
    this.#parts = parts
    this.sessionId = parts.sessionId
    this.pid = parts.pid
    this.startedAt = parts.agent.clock.now()
    this.#entries = parts.agent.entries(parts.sessionId)
    this.resumed = this.#entries.length > 0
  }

  get exited(): Promise<Exit> {
    return this.#exit.promise
  }

  get isQuiet(): boolean {
    return this.state === 'idle'
  }

  get isAlone(): boolean {
    return this.state === 'idle'
  }

  get isAtRest(): boolean {
    return this.state === 'idle'
  }

  run(uuid: string, { text }: Prompt, listener: RunListener): Promise<RunEnd> {
    if (this.state !== 'idle') throw new Error(`the process is ${this.state}, not idle`)
    const { promise, resolve } = Promise.withResolvers<RunEnd>()
    this.state = 'processing'
    this.#isInterrupted = false
    this.#running = { uuid, listener, end: resolve, hasBegun: false, joined: [] }
    void this.#answer(this.#running, text)
    return promise
  }

  continueRun(): Promise<RunEnd> {
    throw new Error('an echo agent outlives no daemon')
  }

  steer(uuid: string, text: string, commit: () => void): boolean {
    if (this.#running?.hasBegun !== true) return false
    commit()
    this.#parts.agent.taken.push({ uuid, text })
    this.#running.joined.push(said(text))
    return true
  }

  async interrupt(): Promise<void> {
    this.#isInterrupted = true
    this.#parts.agent.resume()
  }

  async withdraw(): Promise<boolean> {
    if (this.#running === undefined || this.#running.hasBegun) return false
    this.#finish({ kind: 'withdrawn' })
    return true
  }

  async probe(): Promise<boolean> {
    return this.state !== 'stopped'
  }

  async stop(manner: StopManner = 'idle'): Promise<Exit> {
    this.#ends(manner === 'now' ? { code: null, signal: 'SIGKILL' } : { code: 0, signal: null })
    return this.exited
  }

  /** It dies on its own. */
  kill(): void {
    this.diedByItself = this.state !== 'stopped'
    this.#ends({ code: null, signal: 'SIGKILL' })
  }

  async #answer(running: Running, text: string): Promise<void> {
    const { agent } = this.#parts
    await agent.reached('given')
    await this.#step()
    if (!this.#works(running)) return
    running.hasBegun = true
    agent.taken.push({ uuid: running.uuid, text })
    this.#entries.push({ kind: 'message', uuid: running.uuid, text })
    this.#says({ type: 'system', subtype: 'init' })
    await agent.reached('taken')
    for (const name of agent.toolsFor(text)) {
      if (!this.#works(running) || this.#isInterrupted) break
      await this.#useTool(running, name)
    }
    await this.#step()
    if (!this.#works(running)) return
    if (this.#isInterrupted) return this.#finish({ kind: 'result', result: this.#result('', true), commands: [] })
    const answer = [said(text), ...running.joined].join(' + ')
    this.#entries.push({ kind: 'answer', text: answer })
    await agent.reached('answered')
    if (!this.#works(running)) return
    this.#model([{ type: 'text', text: answer }], 'end_turn')
    this.#finish({ kind: 'result', result: this.#result(answer, false), commands: [] })
  }

  async #useTool(running: Running, toolName: string): Promise<void> {
    const { agent, host } = this.#parts
    this.#ids += 1
    const toolUseId = `${this.pid}-${this.#ids}`
    const start = {
      toolName,
      toolUseId,
      input: {},
      within: undefined,
      unsolicited: undefined,
      transcriptPath: undefined,
    }
    this.#model([{ type: 'tool_use', id: toolUseId, name: toolName, input: {} }], 'tool_use')
    const refusal = await host.beforeTool(start)
    if (!this.#works(running)) return
    this.#entries.push({ kind: 'tool', id: toolUseId, name: toolName })
    if (refusal === undefined) agent.effects.push(toolName)
    await agent.reached('begun')
    await this.#step()
    if (!this.#works(running)) return
    this.#entries.push({ kind: 'return', id: toolUseId })
    host.afterTool(start)
    const result = {
      type: 'tool_result',
      tool_use_id: toolUseId,
      content: refusal ?? 'done',
      is_error: refusal !== undefined,
    }
    this.#says({ type: 'user', message: { role: 'user', content: [result] } })
    await agent.reached('returned')
  }

  #works(running: Running): boolean {
    return this.#running === running && this.state === 'processing'
  }

  #step(): Promise<void> {
    return new Promise((resolve) => this.#parts.agent.clock.after(stepMs, resolve))
  }

  #model(content: readonly object[], stopReason: string): void {
    this.#ids += 1
    const id = `${this.pid}-${this.#ids}`
    const message = { id, role: 'assistant', model: 'echo', content, stop_reason: stopReason }
    this.#says({ type: 'assistant', uuid: id, message, parent_tool_use_id: null })
  }

  #says(line: Line): void {
    if (!this.#parts.isHeard()) return
    this.#running?.listener.onSign()
    this.#running?.listener.onLine({ ...line, session_id: this.sessionId })
  }

  #result(text: string, isInterrupted: boolean): ClaudeResult {
    return {
      isError: isInterrupted,
      subtype: isInterrupted ? 'error_during_execution' : 'success',
      text,
      notes: undefined,
      apiErrorStatus: null,
      apiError: undefined,
      terminalReason: isInterrupted ? 'aborted_tools' : 'completed',
      stopReason: 'end_turn',
      numTurns: 1,
      deferredTool: null,
      usage: nothingUsed,
      spent: { costUsd: 0, tokens: nothingUsed },
      sessionId: this.sessionId,
      uuid: `${this.pid}-result`,
    }
  }

  #finish(end: RunEnd): void {
    const running = this.#running
    this.#running = undefined
    if (this.state === 'processing') this.state = 'idle'
    if (this.#parts.isHeard()) running?.end(end)
  }

  #ends(exit: Exit): void {
    if (this.state === 'stopped') return
    this.state = 'stopped'
    this.#finish({ kind: 'exited', exit, stderr: '' })
    this.#parts.onGone()
    if (this.#parts.isHeard()) this.#exit.resolve(exit)
  }
}

/** The message that Iris wrapped; what Iris says on its own, as it is. */
export function said(text: string): string {
  return /<iris-message [^>]*>\n([^]*?)\n<\/iris-message>/.exec(text)?.[1] ?? text
}

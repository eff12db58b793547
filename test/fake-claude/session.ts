import type { AgentFile } from './agent-files.ts'
import { type CommandLine, namesTool } from './command-line.ts'
import { Host } from './host.ts'
import type { McpClient } from './mcp-client.ts'
import { Meter } from './meter.ts'
import type { Recollection, RememberedTurn } from './recall.ts'
import type { Script } from './script.ts'
import { Transcript } from './transcript.ts'
import { Voice } from './voice.ts'
import type { World } from './world.ts'

export interface SessionOptions {
  readonly world: World
  readonly commandLine: CommandLine
  readonly script: Script
  /** As few lines a turn as make sense, the transcript written once a turn. */
  readonly bare: boolean
  readonly recollection: Recollection | undefined
}

/** Callbacks of the host to be asked before a tool whose name matches; no matcher: any tool. */
export interface Hook {
  readonly matcher?: string | null
  readonly hookCallbackIds: readonly string[]
}

interface BackgroundTask {
  readonly type: string
  readonly stop: (status: string) => void
}

/** What the parts of one fake share: the session it serves and its ways out. */
export class Session {
  readonly id: string
  readonly world: World
  readonly script: Script
  readonly commandLine: CommandLine
  readonly bare: boolean
  readonly voice: Voice
  readonly host: Host
  readonly transcript: Transcript
  readonly meter: Meter
  /** Earlier turns, oldest first; a compaction empties it. */
  readonly turns: RememberedTurn[]
  /** Messages that are echoed and not run. Only a new process forgets what was compacted. */
  readonly known: Set<string>
  readonly servers = new Map<string, McpClient>()
  readonly backgroundTasks = new Map<string, BackgroundTask>()
  hooks: readonly Hook[] = []
  /** The host's MCP servers have been asked for their tools; no message runs before. */
  ready: Promise<unknown> = Promise.resolve()
  permissionMode: string
  model: string
  /** Rules to allow that came over the pipe, and how often some did. */
  handed: readonly string[] = []
  handedOver = 0
  /** Turns begun and results written by this process. */
  begun = 0
  lastWasError = false
  results = 0

  /** A turn runs or waits. */
  isWorking = false

  #toldState = 'idle'
  #openTools: readonly string[]

  constructor({ world, commandLine, script, bare, recollection }: SessionOptions) {
    this.id = commandLine.resume ?? commandLine.sessionId ?? world.newId()
    this.world = world
    this.script = script
    this.commandLine = commandLine
    this.bare = bare
    this.voice = new Voice({ world, sessionId: this.id, bare })
    this.host = new Host(this.voice, () => world.newId())
    const flushDelayMs = bare ? undefined : (script.flushDelayMs ?? 100)
    this.transcript = new Transcript({ world, sessionId: this.id, flushDelayMs })
    this.transcript.continueAfter(recollection?.leaf ?? null)
    this.turns = recollection?.turns ?? []
    this.meter = new Meter(
      recollection?.costUsd ?? 0,
      this.turns.map(({ text, answer }) => text + answer),
    )
    this.known = recollection?.known ?? new Set()
    this.#openTools = recollection?.openTools ?? []
    this.permissionMode = commandLine.permissionMode
    this.model = this.defaultModel
  }

  get defaultModel(): string {
    return this.commandLine.model ?? this.agent?.model ?? this.script.model ?? 'fake-model'
  }

  /** The agent that answers in this process, where its command line names one that is known. */
  get agent(): AgentFile | undefined {
    const { agent } = this.commandLine
    return agent === undefined ? undefined : this.world.agents().find(({ name }) => name === agent)
  }

  /** It tells of its tasks as newer builds do. */
  get listsTasks(): boolean {
    return this.script.older !== true
  }

  /** The session is idle when nothing runs, including background agents; older builds ignore those. */
  tellState(): void {
    const agents = [...this.backgroundTasks.values()].filter(({ type }) => type !== 'local_bash')
    const state = this.isWorking || (this.listsTasks && agents.length > 0) ? 'running' : 'idle'
    if (state === this.#toldState) return
    this.#toldState = state
    this.voice.extra({ type: 'system', subtype: 'session_state_changed', state })
  }

  get contextWindow(): number {
    return this.script.contextWindow ?? 200_000
  }

  get toolNames(): string[] {
    const tools = this.agent?.tools
    if (tools) return tools.filter((name) => this.offers(name))
    const own = ['Bash', 'Edit', 'Read', 'Write'].filter((name) => this.offers(name))
    const served = [...this.servers.values()].flatMap(({ name, tools }) => tools.map((t) => `mcp__${name}__${t.name}`))
    return [...own, ...served]
  }

  offers(tool: string): boolean {
    return !namesTool(this.commandLine.disallowedTools, tool)
  }

  allows(tool: string): boolean {
    return (
      this.permissionMode === 'bypassPermissions' || namesTool([...this.commandLine.allowedTools, ...this.handed], tool)
    )
  }

  hookCallbacks(tool: string): string[] {
    const asked = this.hooks.filter(
      ({ matcher }) => !matcher || matcher === '*' || new RegExp(`^(${matcher})$`).test(tool),
    )
    return asked.flatMap(({ hookCallbackIds }) => hookCallbackIds)
  }

  /** Calls that a former process left open get a result in the transcript, before its first new message. */
  settleOpenTools(): void {
    for (const tool_use_id of this.#openTools) {
      const content = [{ type: 'tool_result', content: toolLost, is_error: true, tool_use_id }]
      this.transcript.entry(this.world.newId(), { type: 'user', message: { role: 'user', content } })
    }
    if (this.#openTools.length > 0) {
      const message = {
        model: '<synthetic>',
        role: 'assistant',
        type: 'message',
        content: [],
        stop_reason: 'stop_sequence',
      }
      this.transcript.entry(this.world.newId(), { type: 'assistant', message })
    }
    this.#openTools = []
  }

  /** What a clean end leaves in the transcript. A session without a message leaves no file. */
  close(): void {
    if (this.begun > 0) {
      this.transcript.note({ type: 'last-prompt', lastPrompt: this.turns.at(-1)?.text, leafUuid: this.transcript.leaf })
      this.transcript.note({ type: 'cost-state', totalCostUSD: this.meter.totalCostUsd })
    }
    this.transcript.flush()
  }
}

const toolLost =
  "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. " +
  'Check whether it took effect before relying on it or running it again.]'

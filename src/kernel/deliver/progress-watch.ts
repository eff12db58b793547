import { blocks, echoedUuid, isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { hookStopIn } from '../../claude/driver/ending-signs.ts'
import { quoted } from '../../claude/driver/endings.ts'

/**
 * After this many model calls in a row without a tool that ran, or this many refusals by a Stop hook, callers are
 * informed. In a healthy turn, tools run far more often.
 */
const reportAfter = 25
/** After this many of either, the turn is ended. */
const endAfter = 200

/**
 * Detects turns that print lines but make no progress. Passes the reason to `onStuck`, and undefined when the turn
 * progresses again. A model whose tool calls are always cut off asks for tools forever, and none of them runs. A Stop
 * hook that never lets the agent end also keeps a turn running forever if the agent uses a tool each time, because each
 * tool restarts Claude Code's own limit.
 */
export class ProgressWatch {
  readonly #onStuck: (why: string | undefined) => void
  /** Ids of the model calls since a tool ran. */
  readonly #calls = new Set<string>()
  #tool: string | undefined
  /** How often a Stop hook has kept the agent from ending since the last message to it. */
  #sentOn = 0
  #hookSays: string | undefined
  /**
   * Whether the model has spoken since the hook's last refusal. If several hooks refuse the same end, that counts once.
   */
  #hasSpoken = true
  #why: string | undefined

  constructor(onStuck: (why: string | undefined) => void) {
    this.#onStuck = onStuck
  }

  /** Why the turn is stuck; empty if it is not. */
  get why(): string {
    return this.#why ?? ''
  }

  /** What happened so often that the turn must be ended. Undefined if nothing did. */
  get over(): { readonly kind: 'no_tool_ran' | 'sent_on_by_hook'; readonly why: string } | undefined {
    if (this.#calls.size >= endAfter) return { kind: 'no_tool_ran', why: this.#withoutTool }
    if (this.#sentOn < endAfter) return undefined
    return { kind: 'sent_on_by_hook', why: `${this.#byHook}${quoted(this.#hookSays)}` }
  }

  toolRuns(): void {
    this.#calls.clear()
    this.#look()
  }

  /** Reports how long a tool of an MCP server has been silent. */
  toolIsSilent(tool: string, ms: number): void {
    this.#say(`${tool} has not answered for ${Math.floor(ms / 60_000)} minutes`)
  }

  take(line: Line): void {
    if (line['heartbeat'] === true) return
    const { message } = line
    if (line.type === 'assistant' && isRecord(message) && typeof message['id'] === 'string') {
      this.#calls.add(message['id'])
      const use = blocks(line).find(({ type }) => type === 'tool_use')
      if (typeof use?.['name'] === 'string') this.#tool = use['name']
      if (typeof line['parent_tool_use_id'] !== 'string') this.#hasSpoken = true
    }
    if (isSystem(line, 'hook_response')) this.#takeHook(line)
    else if (echoedUuid(line) !== undefined) this.#sentOn = 0
    this.#look()
  }

  #takeHook(line: Line): void {
    const stop = hookStopIn(line)
    if (stop?.event !== 'Stop' || !this.#hasSpoken) return
    this.#hasSpoken = false
    this.#sentOn += 1
    this.#hookSays = stop.reason
  }

  get #withoutTool(): string {
    const asked = this.#tool === undefined ? '' : `; the last one asked for ${this.#tool}`
    return `No tool has run in the last ${this.#calls.size} calls to the model${asked}`
  }

  get #byHook(): string {
    return `A Stop hook has made the agent continue ${this.#sentOn} times`
  }

  #look(): void {
    if (this.#calls.size >= reportAfter) this.#say(this.#withoutTool)
    else this.#say(this.#sentOn >= reportAfter ? this.#byHook : undefined)
  }

  #say(why: string | undefined): void {
    if (why !== this.#why) this.#onStuck(why)
    this.#why = why
  }
}

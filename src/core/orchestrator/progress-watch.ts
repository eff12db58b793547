import { isRecord } from '../../base/lib/is-record.ts'
import { blocks, type Line } from '../../claude/driver/line.ts'

/** After so many model calls in a row without a tool that ran, callers learn of it. */
const notableCalls = 25
/** After so many the turn is ended. */
const mostCalls = 200

/**
 * Notices turns that are not silent and make no progress all the same, and tells `onStuck` in words; undefined: it goes on.
 * A model whose tool calls are always cut off asks for tools without end, and none ever runs.
 */
export class ProgressWatch {
  readonly #onStuck: (why: string | undefined) => void
  /** Ids of the model calls since a tool ran. */
  readonly #calls = new Set<string>()
  #tool: string | undefined
  #why: string | undefined

  constructor(onStuck: (why: string | undefined) => void) {
    this.#onStuck = onStuck
  }

  /** Why the turn is stuck; empty: it is not. */
  get why(): string {
    return this.#why ?? ''
  }

  /** Too many calls of the model. */
  get isOver(): boolean {
    return this.#calls.size >= mostCalls
  }

  toolRuns(): void {
    this.#calls.clear()
    this.#say(undefined)
  }

  /** A tool of an MCP server has been silent for so long. */
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
    }
    const asked = this.#tool === undefined ? '' : `; the last one asked for ${this.#tool}`
    const count = this.#calls.size
    this.#say(count < notableCalls ? undefined : `No tool has run in the last ${count} calls of the model${asked}`)
  }

  #say(why: string | undefined): void {
    if (why !== this.#why) this.#onStuck(why)
    this.#why = why
  }
}

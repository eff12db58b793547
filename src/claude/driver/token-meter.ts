import { isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Usage } from '../../base/protocol/turn.ts'

type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

/** The API's names for the parts. */
const parts = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
} as const
const names = Object.keys(parts) as (keyof Tokens)[]
const none: Tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/**
 * Counts the tokens of a turn from its lines: those that each model call read, including cache, and wrote. A call
 * states its input when it begins (`message_start`, repeated in each `assistant` line with a placeholder for the
 * output), and both its input and its output when it ends (`message_delta`). A subagent prints only `assistant` lines,
 * so its input counts and most of its output does not. For a workflow's agents, there is only the CLI's own count in
 * the workflow's progress, which is too low. See test/pins/usage.test.ts.
 */
export class TokenMeter {
  /** Tokens of each model call, by the id of its message. */
  readonly #calls = new Map<string, Tokens>()
  readonly #workflows = new Map<unknown, number>()
  #current = ''
  #usage = none
  #total = 0

  /** The tokens of model calls and workflows. */
  get tokens(): number {
    return this.#total
  }

  /** The tokens of model calls. */
  get usage(): Tokens {
    return this.#usage
  }

  take(line: Line): void {
    if (line.type === 'assistant') return this.#called(line['message'])
    if (line.type === 'system') return this.#workflow(line)
    const { event } = line
    if (line.type !== 'stream_event' || !isRecord(event)) return
    if (event['type'] === 'message_start') this.#called(event['message'])
    else if (event['type'] === 'message_delta') this.#used(this.#current, event['usage'])
  }

  #workflow(line: Line): void {
    const { task_id: id, usage } = line
    if (isSystem(line, 'task_started') && line['task_type'] === 'local_workflow') this.#workflows.set(id, 0)
    const before = this.#workflows.get(id)
    if (before === undefined || !isRecord(usage) || typeof usage['total_tokens'] !== 'number') return
    const more = Math.max(0, usage['total_tokens'] - before)
    this.#workflows.set(id, before + more)
    this.#total += more
  }

  #called(message: unknown): void {
    if (!isRecord(message)) return
    this.#current = String(message['id'])
    this.#used(this.#current, message['usage'])
  }

  /** The call used at least this much in total: only the increase counts. */
  #used(call: string, usage: unknown): void {
    if (!isRecord(usage)) return
    const before = this.#calls.get(call) ?? none
    const now = tokensOf(usage)
    const more = Math.max(0, sumOf(now) - sumOf(before))
    if (more === 0) return
    this.#calls.set(call, now)
    this.#usage = mapped((name) => this.#usage[name] + now[name] - before[name])
    this.#total += more
  }
}

function tokensOf(usage: Readonly<Record<string, unknown>>): Tokens {
  return mapped((name) => {
    const count = usage[parts[name]]
    return typeof count === 'number' && count > 0 ? count : 0
  })
}

function sumOf(tokens: Tokens): number {
  return names.reduce((sum, name) => sum + tokens[name], 0)
}

function mapped(count: (name: keyof Tokens) => number): Tokens {
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Tokens
}

import { isRecord } from '../../base/lib/is-record.ts'
import { isSystem, type Line } from './line.ts'

/**
 * Counts the tokens of a turn from its lines: what every model call read, including cache, and wrote. A call states its
 * input when it begins (`message_start`, repeated in each `assistant` line with a placeholder for the output), and both
 * when it ends (`message_delta`). A subagent prints only `assistant` lines, so its input counts and most of its output
 * does not. A workflow's progress only has the CLI's own count for its agents, which is too low. See
 * test/pins/usage.test.ts.
 */
export class TokenMeter {
  /** Tokens of each model call, by the id of its message, and of each workflow. */
  readonly #calls = new Map<string, number>()
  readonly #workflows = new Set<unknown>()
  #current = ''
  #total = 0

  get tokens(): number {
    return this.#total
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
    if (isSystem(line, 'task_started') && line['task_type'] === 'local_workflow') this.#workflows.add(id)
    if (!this.#workflows.has(id) || !isRecord(usage) || typeof usage['total_tokens'] !== 'number') return
    this.#most(`workflow ${String(id)}`, usage['total_tokens'])
  }

  #called(message: unknown): void {
    if (!isRecord(message)) return
    this.#current = String(message['id'])
    this.#used(this.#current, message['usage'])
  }

  #used(call: string, usage: unknown): void {
    if (isRecord(usage)) this.#most(call, sumOf(usage))
  }

  #most(call: string, now: number): void {
    const before = this.#calls.get(call) ?? 0
    const tokens = Math.max(before, now)
    this.#calls.set(call, tokens)
    this.#total += tokens - before
  }
}

const parts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']

function sumOf(usage: Readonly<Record<string, unknown>>): number {
  const counts = parts.map((part) => usage[part]).filter((count) => typeof count === 'number' && count > 0)
  return (counts as number[]).reduce((sum, count) => sum + count, 0)
}

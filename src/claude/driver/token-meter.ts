import { isRecord } from '../../base/lib/is-record.ts'
import { isSystem, type Line } from './line.ts'

/**
 * Counts the tokens of a turn while its lines come: of every call of the model what it read, the cache included, and
 * wrote. A call says what it reads when it begins (`message_start`, repeated in each `assistant` line, where the output
 * is a placeholder), and all of it when it ends (`message_delta`). Of a subagent only `assistant` lines come, so that
 * its input counts and its output hardly. Of a workflow's agents nothing comes but how many tokens the CLI counts so far, in the
 * progress of the workflow: fewer than they use. See test/pins/usage.test.ts.
 */
export class TokenMeter {
  /** By the id of the message that the model writes in it. */
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

import { type Line, textDelta } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/** Beyond this number, the oldest lines are dropped. */
const maxLines = 1000

/** The partial lines with facts that the later whole lines lack: where a message begins, and how it ended. */
const kept: ReadonlySet<unknown> = new Set(['message_start', 'message_delta'])

/** Lines whose owner is unknown, in order. */
export class HeldLines {
  #lines: Line[] = []
  #unfinished = ''

  /** The text that the model was writing when the last line came. */
  get unfinished(): string {
    return this.#unfinished
  }

  hold(line: Line): void {
    if (line.type === 'stream_event') {
      this.#unfinished += textDelta(line)
      const { event } = line
      if (!isRecord(event) || !kept.has(event['type'])) return
    } else if (line.type === 'assistant' && typeof line['parent_tool_use_id'] !== 'string') this.#unfinished = ''
    if (this.#lines.length === maxLines) this.#lines.shift()
    this.#lines.push(line)
  }

  /** Returns all lines and forgets them. */
  release(): Line[] {
    const held = this.#lines
    if (held.length > 0) this.#lines = []
    this.#unfinished = ''
    return held
  }
}

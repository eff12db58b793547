import type { TokenUsage } from './meter.ts'
import type { Session } from './session.ts'

interface SpeechOptions {
  readonly session: Session
  /** Called before the first line of a model's message. */
  readonly onOutput: () => void
  /** Fields that tell which messages are being answered. */
  readonly attribution: () => Record<string, unknown>
}

interface OpenMessage {
  readonly id: string
  readonly usage: TokenUsage
  readonly entries: Record<string, unknown>[]
  output: string
  blocks: number
  block: OpenBlock | undefined
}

interface OpenBlock {
  readonly content: Block
  written: boolean
}

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** What the model says in one turn, as stream events and `assistant` lines: one line a block, one id a message. */
export class Speech {
  readonly #options: SpeechOptions
  readonly #session: Session
  #message: OpenMessage | undefined
  #attributed = false
  messages = 0

  constructor(options: SpeechOptions) {
    this.#options = options
    this.#session = options.session
  }

  /** Text whose block stays open. */
  partial(text: string): void {
    const message = this.#open()
    if (message.block?.content.type !== 'text') this.#startBlock(message, { type: 'text', text: '' })
    const content = message.block?.content
    if (content?.type === 'text') content.text += text
    this.#delta(message, { type: 'text_delta', text })
  }

  /** Returns the whole text of the block. */
  text(text: string): string {
    this.partial(text)
    return this.endText()
  }

  /** Ends the block of a `partial`, and returns its whole text. */
  endText(): string {
    const content = this.#open().block?.content
    this.#endBlock(this.#open())
    return content?.type === 'text' ? content.text : ''
  }

  thinking(thinking: string): void {
    const message = this.#open()
    this.#startBlock(message, { type: 'thinking', thinking, signature: 'ZmFrZQ==' })
    this.#delta(message, { type: 'thinking_delta', thinking })
    this.#endBlock(message)
  }

  /** The block stays open until `close`: the CLI asks its hook before the message has ended. */
  toolUse(id: string, name: string, input: unknown): void {
    const message = this.#open()
    this.#startBlock(message, { type: 'tool_use', id, name, input })
    this.#delta(message, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
    this.#write(message)
  }

  /** Ends the model's message, if one is open. */
  close(stopReason: 'end_turn' | 'tool_use'): void {
    const message = this.#message
    if (message === undefined) return
    this.#endBlock(message)
    const usage = this.#session.meter.endCall(message.usage, message.output)
    for (const entry of message.entries) Object.assign(entry['message'] as object, { stop_reason: stopReason, usage })
    const delta = { stop_reason: stopReason, stop_sequence: null }
    this.#stream({ type: 'message_delta', delta, usage: { output_tokens: usage.output_tokens } })
    this.#stream({ type: 'message_stop' })
    this.#message = undefined
  }

  /** An interrupt: what was said so far is an `assistant` line marked aborted, the stream just stops. */
  abort(): void {
    const message = this.#message
    if (message === undefined) return
    const { block } = message
    if (block?.content.type === 'text' && block.content.text !== '') this.#write(message, true)
    this.#session.meter.endCall(message.usage, message.output)
    this.#message = undefined
  }

  #open(): OpenMessage {
    if (this.#message !== undefined) return this.#message
    this.#options.onOutput()
    const { world, meter, model } = this.#session
    const message: OpenMessage = {
      id: `msg_${world.newId()}`,
      usage: meter.startCall(),
      entries: [],
      output: '',
      blocks: 0,
      block: undefined,
    }
    this.#message = message
    this.messages += 1
    const { id, usage } = message
    this.#stream(
      { type: 'message_start', message: { ...bodyOf(id, model, []), usage } },
      this.#attributed ? {} : this.#options.attribution(),
    )
    return message
  }

  #startBlock(message: OpenMessage, content: Block): void {
    this.#endBlock(message)
    message.block = { content: { ...content }, written: false }
    this.#stream({ type: 'content_block_start', index: message.blocks, content_block: emptyBlock(content) })
  }

  #endBlock(message: OpenMessage): void {
    if (message.block === undefined) return
    this.#write(message)
    this.#stream({ type: 'content_block_stop', index: message.blocks })
    message.block = undefined
    message.blocks += 1
  }

  #write(message: OpenMessage, aborted = false): void {
    const { block, id, usage } = message
    if (block === undefined || block.written) return
    block.written = true
    message.output += JSON.stringify(block.content)
    const { voice, transcript, model } = this.#session
    const body = { ...bodyOf(id, model, [block.content]), usage }
    const uuid = voice.event({
      type: 'assistant',
      message: body,
      parent_tool_use_id: null,
      timestamp: voice.timestamp(),
      ...(aborted ? { aborted } : {}),
      ...(this.#attributed ? {} : this.#options.attribution()),
    })
    this.#attributed = true
    const mark = aborted ? { isAbortedMidStream: true } : {}
    message.entries.push(transcript.entry(uuid, { type: 'assistant', message: { ...body }, ...mark }))
  }

  #delta(message: OpenMessage, delta: Record<string, unknown>): void {
    this.#stream({ type: 'content_block_delta', index: message.blocks, delta })
  }

  #stream(event: Record<string, unknown>, more: Record<string, unknown> = {}): void {
    if (!this.#session.commandLine.streamsPartials) return
    const api_message_id = this.#message?.id
    this.#session.voice.extra({ type: 'stream_event', event, parent_tool_use_id: null, api_message_id, ...more })
  }
}

function bodyOf(id: string, model: string, content: readonly Block[]): Record<string, unknown> {
  return { id, type: 'message', role: 'assistant', model, content, stop_reason: null, stop_sequence: null }
}

function emptyBlock(content: Block): Block {
  if (content.type === 'text') return { type: 'text', text: '' }
  if (content.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...content, input: {} }
}

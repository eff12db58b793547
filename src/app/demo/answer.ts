import type { AnswerBlock, InputUsage } from './messages-api.ts'
import { tokens } from './prompt-cache.ts'
import type { ModelAnswer, ToolUse } from './script.ts'
import type { EventStream } from './sse.ts'

const deltaLength = 24

export interface AnswerContext {
  readonly messageId: string
  readonly model: string
  readonly newToolUseId: () => string
  readonly input: InputUsage
}

/** The answer to a request without `stream`, as one message. */
export async function wholeAnswer(answer: ModelAnswer, context: AnswerContext): Promise<Record<string, unknown>> {
  const content: AnswerBlock[] = []
  for (const block of blocksOf(answer, context.newToolUseId)) {
    const pieces: string[] = []
    for await (const piece of block.pieces) pieces.push(piece)
    content.push(block.whole(pieces.join('')))
  }
  return {
    ...messageOf(context, content),
    stop_reason: stopReason(answer),
    usage: usageOf(context, Buffer.byteLength(JSON.stringify(content))),
  }
}

/** The same message as events; each piece is sent when it is available. */
export async function streamAnswer(answer: ModelAnswer, context: AnswerContext, events: EventStream): Promise<void> {
  await startMessage(context, events)
  let outputBytes = 0
  let index = 0
  const lastIndex = blocksIn(answer).length - 1
  for (const block of blocksOf(answer, context.newToolUseId)) {
    await events.send('content_block_start', { index, content_block: block.start })
    for await (const piece of block.pieces) {
      outputBytes += Buffer.byteLength(piece)
      if (!(await events.send('content_block_delta', { index, delta: block.delta(piece) }))) return
    }
    if (answer.breaks !== undefined && index === lastIndex) return
    if (block.start.type === 'thinking') {
      await events.send('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
    }
    await events.send('content_block_stop', { index })
    index += 1
  }
  await events.send('message_delta', {
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: usageOf(context, outputBytes),
  })
  await events.send('message_stop')
}

export async function startMessage(context: AnswerContext, events: EventStream): Promise<void> {
  await events.send('message_start', {
    message: { ...messageOf(context, []), stop_reason: null, usage: usageOf(context, 1) },
  })
  await events.send('ping')
}

const signature = 'c2NyaXB0ZWQ='

interface BlockInPieces {
  readonly start: AnswerBlock
  readonly pieces: AsyncIterable<string>
  delta(piece: string): Record<string, unknown>
  whole(joined: string): AnswerBlock
}

type BlockSource =
  | { readonly kind: 'thinking' | 'text'; readonly pieces: AsyncIterable<string> }
  | { readonly kind: 'tool_use'; readonly use: ToolUse }

function blocksIn({ thinking, text, stream, blocks = [], toolUses = [] }: ModelAnswer): BlockSource[] {
  return [
    ...(thinking === undefined ? [] : [said('thinking', inPieces(thinking))]),
    ...(text === undefined && stream === undefined ? [] : [said('text', textPieces(text, stream))]),
    ...blocks.map((block): BlockSource => {
      if ('toolUse' in block) return { kind: 'tool_use', use: block.toolUse }
      return 'text' in block ? said('text', inPieces(block.text)) : said('thinking', cut(block.thinking))
    }),
    ...toolUses.map((use): BlockSource => ({ kind: 'tool_use', use })),
  ]
}

function said(kind: 'thinking' | 'text', pieces: AsyncIterable<string>): BlockSource {
  return { kind, pieces }
}

function* blocksOf(answer: ModelAnswer, newToolUseId: () => string): Generator<BlockInPieces> {
  const sources = blocksIn(answer)
  for (const [index, source] of sources.entries()) {
    const isCut = answer.stopReason === 'max_tokens' && index === sources.length - 1
    yield source.kind === 'tool_use' ? toolUseBlock(source.use, newToolUseId, isCut) : spokenBlock(source)
  }
}

function spokenBlock({ kind, pieces }: Extract<BlockSource, { kind: 'thinking' | 'text' }>): BlockInPieces {
  if (kind === 'text')
    return {
      start: { type: 'text', text: '' },
      pieces,
      delta: (piece) => ({ type: 'text_delta', text: piece }),
      whole: (joined) => ({ type: 'text', text: joined }),
    }
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    pieces,
    delta: (piece) => ({ type: 'thinking_delta', thinking: piece }),
    whole: (joined) => ({ type: 'thinking', thinking: joined, signature }),
  }
}

function toolUseBlock(use: ToolUse, newToolUseId: () => string, isCut: boolean): BlockInPieces {
  const { name, input, id = newToolUseId() } = use
  const json = JSON.stringify(input)
  return {
    start: { type: 'tool_use', id, name, input: {} },
    pieces: cut(isCut ? json.slice(0, json.length / 2) : json),
    delta: (piece) => ({ type: 'input_json_delta', partial_json: piece }),
    whole: () => ({ type: 'tool_use', id, name, input }),
  }
}

async function* textPieces(
  text: string | undefined,
  stream: AsyncIterable<string> | undefined,
): AsyncGenerator<string> {
  if (text !== undefined) yield* cut(text)
  if (stream !== undefined) yield* stream
}

function inPieces(text: string | AsyncIterable<string>): AsyncIterable<string> {
  return typeof text === 'string' ? cut(text) : text
}

/** Cuts a text, never inside a surrogate pair. Long texts are cut into fewer, longer pieces. */
async function* cut(text: string): AsyncGenerator<string> {
  const length = Math.max(deltaLength, Math.ceil(text.length / 256))
  for (let start = 0; start < text.length; ) {
    let end = start + length
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1
    yield text.slice(start, end)
    start = end
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function stopReason(answer: ModelAnswer): string {
  return answer.stopReason ?? (blocksIn(answer).some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn')
}

function usageOf({ input }: AnswerContext, outputBytes: number): InputUsage & { output_tokens: number } {
  return { ...input, output_tokens: tokens(outputBytes) }
}

function messageOf({ messageId, model }: AnswerContext, content: readonly AnswerBlock[]): Record<string, unknown> {
  return { id: messageId, type: 'message', role: 'assistant', model, content, stop_reason: null, stop_sequence: null }
}

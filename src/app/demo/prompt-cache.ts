import { createHash } from 'node:crypto'
import type { InputUsage, MessagesBody } from './messages-api.ts'

const maxPrefixes = 4096

/** Imitates the API's prompt cache: a prefix that an earlier request had is read, the rest is written. */
export class PromptCache {
  readonly #known = new Set<string>()

  /** Records the request; returns the input part of its `usage`. Everything except the last message can be cached. */
  admit(body: MessagesBody): InputUsage {
    const hash = createHash('sha1')
    let total = 0
    let read = 0
    const parts = [{ system: body.system, tools: body.tools, model: body.model }, ...body.messages].map(withoutMarkers)
    const fresh = Buffer.byteLength(parts.at(-1) ?? '')
    for (const part of parts) {
      total += Buffer.byteLength(part)
      hash.update(part)
      const prefix = hash.copy().digest('base64')
      if (this.#known.has(prefix)) read = total
      else this.#remember(prefix)
    }
    const written = Math.max(0, total - read - fresh)
    return {
      input_tokens: Math.max(1, tokens(total - read - written)),
      cache_creation_input_tokens: tokens(written),
      cache_read_input_tokens: tokens(read),
    }
  }

  #remember(prefix: string): void {
    const oldest = this.#known.size >= maxPrefixes ? this.#known.values().next().value : undefined
    if (oldest !== undefined) this.#known.delete(oldest)
    this.#known.add(prefix)
  }
}

/** A rule of thumb: four bytes a token. */
export function tokens(bytes: number): number {
  return Math.ceil(bytes / 4)
}

/**
 * Makes equal parts comparable: Claude Code moves its cache marks along with the conversation, and writes the same text
 * either bare or as a block.
 */
function withoutMarkers(part: unknown): string {
  return JSON.stringify(part, (key, value) => {
    if (key === 'cache_control') return undefined
    return key === 'content' && typeof value === 'string' ? [{ type: 'text', text: value }] : value
  })
}

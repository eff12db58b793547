import { lexer, type Token, type Tokens } from 'marked'

/** A piece of text in one style. Code has no other style. */
export interface Run {
  readonly text: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
  /** The text itself is an http or https address. */
  readonly url?: true
}

export type Block =
  | { readonly kind: 'text' | 'quote'; readonly runs: readonly Run[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

type Look = Pick<Run, 'bold' | 'italic' | 'strike'>

/** Deeper lists and quotes are shown at this depth. */
const deepest = 8
const bullets = ['•', '◦', '▪']

/**
 * The parser compares each emphasis mark with all earlier ones, and rereads a line for each quote or list that starts
 * in it. A text with more marks than this, or a longer text, is shown as written.
 */
const maxRead = 20_000
const maxMarks = 1000
const deeplyNested = /^(?:[ \t]{0,3}(?:[>*+-]|\d{1,9}[.)])){50}/m

/**
 * The rendered content of Markdown, for platforms with their own markup. Links show their address, so a text cannot
 * hide where it leads; HTML is shown as text. Undefined if the text could not be parsed, or not in time.
 */
export function markdownBlocks(markdown: string): readonly Block[] | undefined {
  if (markdown.length > maxRead || deeplyNested.test(markdown) || countOf(markdown, /[*_~]+/g) > maxMarks)
    return undefined
  try {
    const writer = new Writer()
    writer.blocks(lexer(markdown), 0)
    return writer.end()
  } catch {
    // Thousands of nested quotes or lists use up the stack.
    return undefined
  }
}

function countOf(text: string, mark: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(mark)) count += 1
  return count
}

class Writer {
  readonly #done: Block[] = []
  #runs: Run[] = []
  /** Line ends that are written once text follows them. */
  #ends = 0
  #isQuote = false

  end(): readonly Block[] {
    this.#flush()
    return this.#done
  }

  blocks(tokens: readonly Token[], depth: number): void {
    for (const token of tokens) {
      if (token.type === 'space') this.#ends = Math.max(this.#ends, 2)
      else this.#block(token, depth)
    }
  }

  #block(token: Token, depth: number): void {
    if (token.type === 'code') this.#code(token.text, token['lang'] ?? '')
    else if (token.type === 'table') this.#code(token.raw.trimEnd(), '')
    else if (token.type === 'blockquote') this.#quote(token.tokens ?? [], depth)
    else if (token.type === 'list') this.#list(token as Tokens.List, depth)
    else {
      if (token.type === 'heading') this.#inline(token.tokens ?? [], { bold: true })
      else if (token.type === 'hr') this.#put('———', {})
      else if ('tokens' in token && token.tokens !== undefined) this.#inline(token.tokens, {})
      else this.#put(token.raw.trimEnd(), {})
      this.#endLine()
    }
  }

  #list({ items, ordered, start }: Tokens.List, depth: number): void {
    for (const [index, item] of items.entries()) {
      const sign = ordered ? `${Number(start) + index}.` : bullets[Math.min(depth, bullets.length - 1)]!
      const box = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
      this.#put(`${'  '.repeat(depth)}${sign} ${box}`, {})
      this.blocks(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        Math.min(depth + 1, deepest),
      )
      this.#ends = Math.max(this.#ends, 1)
    }
  }

  /** A quote within a quote becomes part of the outer one, and code in a quote is shown as fixed-width text. */
  #quote(tokens: readonly Token[], depth: number): void {
    if (this.#isQuote) return this.blocks(tokens, depth)
    this.#flush()
    this.#isQuote = true
    this.blocks(tokens, depth)
    this.#flush()
    this.#isQuote = false
  }

  #code(text: string, language: string): void {
    if (this.#isQuote) {
      this.#put(text, {}, { code: true })
      return this.#endLine()
    }
    this.#flush()
    if (text.trim() !== '') this.#done.push({ kind: 'code', language, text })
  }

  #inline(tokens: readonly Token[], look: Look): void {
    for (const token of tokens) {
      if (token.type === 'strong') this.#inline(token.tokens ?? [], { ...look, bold: true })
      else if (token.type === 'em') this.#inline(token.tokens ?? [], { ...look, italic: true })
      else if (token.type === 'del') this.#inline(token.tokens ?? [], { ...look, strike: true })
      else if (token.type === 'codespan') this.#put(token.text, {}, { code: true })
      else if (token.type === 'link' || token.type === 'image') this.#link(token as Tokens.Link | Tokens.Image, look)
      else if (token.type === 'br') this.#put('\n', {})
      else if (token.type === 'text' && token.tokens !== undefined) this.#inline(token.tokens, look)
      else this.#put(token.type === 'escape' ? token.text : token.raw, look)
    }
  }

  #link({ type, href, text, tokens }: Tokens.Link | Tokens.Image, look: Look): void {
    const address = /^https?:\/\/\S+$/i.test(href) ? ({ url: true } as const) : {}
    if (text === '' || text === href) return this.#put(href, {}, address)
    // The link's text is its address without the scheme.
    if (['http://', 'https://', 'mailto:'].some((scheme) => href === `${scheme}${text}`)) return this.#put(text, {})
    if (type === 'link') this.#inline(tokens, look)
    else this.#put(text, look)
    this.#put(' (', {})
    this.#put(href, {}, address)
    this.#put(')', {})
  }

  #put(text: string, look: Look, more: Pick<Run, 'code' | 'url'> = {}): void {
    if (text === '') return
    if (this.#runs.length > 0) this.#add({ text: '\n'.repeat(this.#ends) })
    this.#ends = 0
    this.#add({ text, ...look, ...more })
  }

  /** Merges neighbouring text with the same style into one run. */
  #add(run: Run): void {
    if (run.text === '') return
    const last = this.#runs.at(-1)
    if (last !== undefined && looksLike(last, run))
      this.#runs[this.#runs.length - 1] = { ...last, text: last.text + run.text }
    else this.#runs.push(run)
  }

  #endLine(): void {
    this.#ends = Math.max(this.#ends, 1)
  }

  #flush(): void {
    if (this.#runs.length > 0) this.#done.push({ kind: this.#isQuote ? 'quote' : 'text', runs: this.#runs })
    this.#runs = []
    this.#ends = 0
  }
}

function looksLike(one: Run, other: Run): boolean {
  return (['bold', 'italic', 'strike', 'code', 'url'] as const).every((each) => one[each] === other[each])
}

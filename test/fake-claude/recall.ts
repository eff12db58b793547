/** What a transcript's file tells a process that takes the session up again. */
export interface Recollection {
  /** Oldest first, since the last compaction. */
  readonly turns: RememberedTurn[]
  /** Messages that are not run again. */
  readonly known: Set<string>
  /** The last entry of the chain. */
  readonly leaf: string | null
  readonly costUsd: number
  /** Tool calls without a result. */
  readonly openTools: readonly string[]
}

export interface RememberedTurn {
  readonly uuid: string
  readonly text: string
  answer: string
  answered: boolean
}

interface Entry {
  readonly type?: string
  readonly subtype?: string
  readonly uuid?: string
  readonly isMeta?: boolean
  readonly isCompactSummary?: boolean
  readonly totalCostUSD?: number
  readonly attachment?: { readonly type?: string; readonly source_uuid?: string; readonly prompt?: unknown }
  readonly message?: { readonly content?: unknown }
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly tool_use_id?: string
}

/** Undefined when the text holds no conversation: empty, binary. Lines that are no JSON are passed over. */
export function recall(text: string): Recollection | undefined {
  const reader = new Reader()
  for (const line of text.split('\n')) {
    const entry = parse(line)
    if (entry !== undefined) reader.read(entry)
  }
  return reader.leaf === null ? undefined : reader.recollection()
}

class Reader {
  leaf: string | null = null
  #turns: RememberedTurn[] = []
  #open = new Set<string>()
  #costUsd = 0

  read(entry: Entry): void {
    if (entry.type === 'cost-state') this.#costUsd = entry.totalCostUSD ?? 0
    if (entry.uuid === undefined) return
    this.leaf = entry.uuid
    if (entry.subtype === 'compact_boundary') this.#turns = []
    else if (entry.type === 'user' && entry.isMeta !== true) this.#user(entry.uuid, entry)
    else if (entry.type === 'assistant') this.#assistant(blocksOf(entry.message?.content))
    else if (entry.attachment?.type === 'queued_command') this.#folded(entry.attachment)
  }

  recollection(): Recollection {
    const known = new Set(this.#turns.map((turn) => turn.uuid))
    // Never answered: run again, as 2.1.330 does.
    const last = this.#turns.at(-1)
    if (last?.answered === false) known.delete(last.uuid)
    return { turns: this.#turns, known, leaf: this.leaf, costUsd: this.#costUsd, openTools: [...this.#open] }
  }

  #user(uuid: string, entry: Entry): void {
    const blocks = blocksOf(entry.message?.content)
    const results = blocks.filter((block) => block.type === 'tool_result')
    for (const { tool_use_id = '' } of results) this.#open.delete(tool_use_id)
    if (results.length > 0) return
    const text = textOf(entry.message?.content)
    const last = this.#turns.at(-1)
    if (text.startsWith('[Request interrupted by user')) {
      if (last !== undefined) last.answered = true
    } else {
      const answered = entry.isCompactSummary === true || /^<(command-name|local-command)/.test(text)
      this.#turns.push({ uuid, text, answer: '', answered })
    }
  }

  #assistant(blocks: readonly Block[]): void {
    const last = this.#turns.at(-1)
    if (last === undefined) return
    last.answered = true
    for (const block of blocks) {
      if (block.type === 'text') last.answer = block.text ?? ''
      if (block.type === 'tool_use' && block.id !== undefined) this.#open.add(block.id)
    }
  }

  #folded({ source_uuid, prompt }: NonNullable<Entry['attachment']>): void {
    if (source_uuid !== undefined) {
      this.#turns.push({ uuid: source_uuid, text: textOf(prompt), answer: '', answered: false })
    }
  }
}

/** What is not a string has no text. */
export function stringOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise
}

/** The text of a message's content, string or blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
    .join('\n')
}

function blocksOf(content: unknown): readonly Block[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}

function parse(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

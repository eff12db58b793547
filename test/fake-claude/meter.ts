/** Tokens of one call of the model, named as the API does. */
export interface TokenUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
}

const usdPerToken = { input: 4e-6, cacheWrite: 5e-6, cacheRead: 4e-7, output: 2e-5 }
const noTokens: TokenUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

/** Counts four bytes a token. What has been in the context once is read from the cache ever after. */
export class Meter {
  #contextTokens = 0
  #freshTokens = 0
  #process = noTokens
  #turn = noTokens
  #totalCostUsd: number

  /** What a resumed conversation cost so far, and the texts its context holds. */
  constructor(costUsd: number, context: readonly string[]) {
    this.#totalCostUsd = costUsd
    this.#contextTokens = context.map(tokens).reduce((total, count) => total + count, 0)
  }

  /** Cumulative, and carried over a clean end and a resume as the real one does. */
  get totalCostUsd(): number {
    return this.#totalCostUsd
  }

  get contextTokens(): number {
    return this.#contextTokens + this.#freshTokens
  }

  get turn(): TokenUsage {
    return this.#turn
  }

  get process(): TokenUsage {
    return this.#process
  }

  beginTurn(): void {
    this.#turn = noTokens
  }

  /** Text that the next call sends. */
  add(text: string): void {
    this.#freshTokens += tokens(text)
  }

  compact(): void {
    this.#contextTokens = 0
    this.#freshTokens = 0
  }

  /** One call of the model begins: what it is sent is known, what it will say is not. */
  startCall(): TokenUsage {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: this.#freshTokens,
      cache_read_input_tokens: this.#contextTokens,
      output_tokens: 1,
    }
    this.#contextTokens += this.#freshTokens
    this.#freshTokens = 0
    return usage
  }

  endCall(started: TokenUsage, output: string): TokenUsage {
    const usage = { ...started, output_tokens: tokens(output) }
    this.#contextTokens += usage.output_tokens
    this.#turn = sum(this.#turn, usage)
    this.#process = sum(this.#process, usage)
    this.#totalCostUsd += costUsd(usage)
    return usage
  }
}

export function costUsd(usage: TokenUsage): number {
  return (
    usage.input_tokens * usdPerToken.input +
    usage.cache_creation_input_tokens * usdPerToken.cacheWrite +
    usage.cache_read_input_tokens * usdPerToken.cacheRead +
    usage.output_tokens * usdPerToken.output
  )
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4)
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  }
}

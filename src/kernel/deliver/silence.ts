import type { AgentProcess } from '../../base/agent/process.ts'
import type { Clock } from '../../base/lib/clock.ts'

/** How long a process may take to answer over the control channel, milliseconds. */
export const probeTimeoutMs = 10_000

export interface SilenceLimits {
  /**
   * After this long without a sign of life, Iris probes the process. Any line of the process is a sign of life and
   * restarts the timer.
   */
  readonly responseTimeoutMs: number
  /** The longest permitted silence of a living process without a running tool or an open question. */
  readonly maxSilenceMs: number
  /** Time limit for the first sign of life. Set only for the first turn of a new session. */
  readonly firstSignMs: number | undefined
}

type Watched = Pick<AgentProcess, 'probe' | 'toolsRunning' | 'openQuestions'> & {
  /** `cutOff` is set while the machine of the process is unreachable. */
  readonly link: { readonly cutOff?: unknown }
}

export type SilenceVerdict = 'never_began' | 'hung' | 'no_progress' | 'tool_unanswered'

/**
 * How many times longer a tool of an MCP server may be silent than a process without a running tool. Claude Code sets
 * no limit for such a tool.
 */
const toolPatience = 6

/** Tells a hung process from one that is silent because a tool is running or a person is being asked. */
export class Silence {
  readonly #limits: SilenceLimits
  readonly #watched: Watched
  readonly #clock: Clock
  readonly #onVerdict: (verdict: SilenceVerdict) => void
  readonly #onSilentTool: (tool: string, silentMs: number) => void
  #lastSignAt: number
  #cancelTimer: () => void
  #over = false
  #begun: boolean

  constructor(
    limits: SilenceLimits,
    watched: Watched,
    clock: Clock,
    onVerdict: (verdict: SilenceVerdict) => void,
    onSilentTool: (tool: string, silentMs: number) => void = () => {},
  ) {
    this.#limits = limits
    this.#watched = watched
    this.#clock = clock
    this.#onVerdict = onVerdict
    this.#onSilentTool = onSilentTool
    this.#lastSignAt = clock.elapsed()
    this.#begun = limits.firstSignMs === undefined
    this.#cancelTimer = clock.after(limits.firstSignMs ?? limits.responseTimeoutMs, () => void this.#look())
  }

  /** Called for every line, so it only notes the time. The timer looks at that time later. */
  sign(): void {
    this.#lastSignAt = this.#clock.elapsed()
    if (this.#begun) return
    this.#begun = true
    this.#cancelTimer()
    this.#again(this.#limits.responseTimeoutMs)
  }

  end(): void {
    this.#over = true
    this.#cancelTimer()
  }

  async #look(): Promise<void> {
    if (this.#over) return
    const { responseTimeoutMs, maxSilenceMs } = this.#limits
    if (this.#watched.link.cutOff !== undefined) {
      // No sign of life can arrive now, so this time does not count as silence.
      this.#lastSignAt = this.#clock.elapsed()
      return this.#again(this.#begun ? responseTimeoutMs : this.#limits.firstSignMs!)
    }
    if (!this.#begun) return this.#verdict('never_began')
    const silentMs = this.#clock.elapsed() - this.#lastSignAt
    if (silentMs < responseTimeoutMs) return this.#again(responseTimeoutMs - silentMs)
    const signBefore = this.#lastSignAt
    const alive = await this.#watched.probe(probeTimeoutMs)
    if (this.#over) return
    if (this.#lastSignAt !== signBefore) return this.#again(responseTimeoutMs)
    if (!alive) return this.#verdict('hung')
    const { toolsRunning, openQuestions } = this.#watched
    if (toolsRunning.length > 0 && openQuestions === 0)
      this.#lookAtTools(toolsRunning, this.#clock.elapsed() - signBefore)
    // `#lookAtTools` may have ended the watch with a verdict.
    if (this.#over) return
    if (toolsRunning.length > 0 || openQuestions > 0) return this.#again(responseTimeoutMs)
    const left = maxSilenceMs - (this.#clock.elapsed() - signBefore)
    if (left <= 0) return this.#verdict('no_progress')
    this.#again(Math.min(left, responseTimeoutMs))
  }

  /**
   * Looks for a tool of an MCP server that has been silent for too long. Claude Code's tools have limits of their own.
   * Not called while one of Iris's own tools is running, because that counts as an open question.
   */
  #lookAtTools(tools: readonly string[], silentMs: number): void {
    const tool = tools.find((name) => name.startsWith('mcp__'))
    const { maxSilenceMs } = this.#limits
    if (tool === undefined || silentMs < maxSilenceMs) return
    this.#onSilentTool(tool, silentMs)
    if (silentMs >= toolPatience * maxSilenceMs) this.#verdict('tool_unanswered')
  }

  #again(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => void this.#look())
  }

  #verdict(verdict: SilenceVerdict): void {
    this.end()
    this.#onVerdict(verdict)
  }
}

/** The result of one clause: a behaviour of Claude Code that Iris relies on. */
export interface ClauseView {
  readonly clause: string
  readonly state: 'kept' | 'differs' | 'untried'
  readonly expects: string
  /** What the CLI did instead, or why the clause could not be tested; absent if it passed. */
  readonly did?: string
  /** The part of Iris that does not work without it. */
  readonly breaks: string
}

/** One run of `iris doctor --probe` with one `claude` program. */
export interface ProbeReport {
  /** Absolute path. */
  readonly executable: string
  readonly version: string | null
  /** `unknown`: nothing differs, but some clauses could not be tested. */
  readonly verdict: 'good' | 'bad' | 'unknown'
  readonly durationMs: number
  readonly clauses: readonly ClauseView[]
}

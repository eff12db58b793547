/** How a `claude` keeps one clause of what Iris relies on. */
export interface ClauseView {
  readonly clause: string
  readonly state: 'kept' | 'differs' | 'untried'
  readonly expects: string
  /** What the CLI did instead, or why the clause could not be tried; absent where it is kept. */
  readonly did?: string
  /** What of Iris does not work without it. */
  readonly breaks: string
}

/** One run of `iris doctor --probe` with one program. */
export interface ProbeReport {
  /** Absolute. */
  readonly executable: string
  readonly version: string | null
  /** `unknown`: nothing differs, but some clauses could not be tried. */
  readonly verdict: 'good' | 'bad' | 'unknown'
  readonly durationMs: number
  readonly clauses: readonly ClauseView[]
}

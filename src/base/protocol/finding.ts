/** What one check of an installation found. `warn`: Iris works, but not as well as it could; `fail`: something of it does not. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about it; nothing where all is well. */
  readonly remedy?: string
  /** `iris doctor --fix` does it. */
  readonly canFix?: true
}

/** One mistake in the configuration, with all that is needed to put it right. */
export interface ConfigProblem {
  readonly file: string
  /** 1-based; null where the file as a whole is meant. */
  readonly line: number | null
  readonly column: number | null
  /** Such as `teams.backend.grantPermission`; empty where the file as a whole is meant. */
  readonly key: string
  /** As written; `(hidden)` where it may be a secret; null where there is none to show. */
  readonly value: string | null
  readonly problem: string
  readonly allowed: string | null
  readonly remedy: string
}

export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `owner`, `program`, `agent:<team>`, `iris`, `forward:<host>`, or `unknown` for a refused caller. */
  readonly actor: string
  /** The action, such as `session_delete` or `from.mismatch`. */
  readonly action: string
  /** The object of the action. */
  readonly subject: string
  /** `allowed`, or the reason for the refusal. For a permission question, `allow` or `deny`. */
  readonly decision?: string | null | undefined
  readonly inputHash?: string | null | undefined
  /** The caller must leave out secrets. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Records the actions of callers. */
export interface AuditRecords {
  readonly record: (entry: AuditEntry) => void
}

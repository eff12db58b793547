/** Rules in Claude Code's syntax, as the CLI reads it. If `allow` is empty, `ask` is empty too. */
export interface PermissionLists {
  readonly allow: readonly string[]
  /** The CLI asks about these tools even if a rule allows them. */
  readonly ask: readonly string[]
  /**
   * The CLI refuses these even where it does not ask Iris: commands in the text of a skill, and inputs that a project's
   * hook has changed.
   */
  readonly deny: readonly string[]
  /** Whether the CLI may run commands in the text of skills. */
  readonly skillCommands: boolean
}

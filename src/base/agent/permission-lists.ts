/** Rules in Claude Code's syntax, as the CLI reads it. Where `allow` is empty, so is `ask`. */
export interface PermissionLists {
  readonly allow: readonly string[]
  /** The CLI asks about these tools even if a rule allows them. */
  readonly ask: readonly string[]
  /**
   * The CLI refuses these, also where Iris is not asked: commands in the text of a skill, and inputs that a hook of the
   * project has changed.
   */
  readonly deny: readonly string[]
  /** Whether the CLI may run commands in the text of skills. */
  readonly skillCommands: boolean
}

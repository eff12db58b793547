/** An agent that Claude Code can run as: the project's, the user's or a built-in one. */
export interface AgentFacts {
  readonly name: string
  readonly description: string
  /** The agent's own model; undefined: Claude Code's default. */
  readonly model: string | undefined
}

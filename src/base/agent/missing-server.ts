/** An MCP server whose tools the agent does not have. */
export interface MissingServer {
  readonly name: string
  readonly needsLogin: boolean
}

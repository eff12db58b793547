/**
 * Whether a tool is Iris's own. A project may have servers such as `iris__x`, whose tools have names that begin the
 * same way.
 */
export function isIrisTool(toolName: string): boolean {
  return /^mcp__iris__[a-z]+(?:_[a-z]+)*$/.test(toolName)
}

/** What to look at twice before a tool is allowed. */
export function risksOf(_toolName: string, _input: Readonly<Record<string, unknown>>, _directory: string): string[] {
  return []
}

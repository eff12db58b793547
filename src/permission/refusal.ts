export function notAllowed(team: string, toolName: string): string {
  const why = 'its owner does not allow tools that need a permission (grantPermission: no), and no rule covers this'
  return refusal(team, toolName, why)
}

/** As the agent hears it. */
export function refusal(team: string, toolName: string, why: string): string {
  return `Team "${team}" may not use ${toolName}: ${why}.`
}

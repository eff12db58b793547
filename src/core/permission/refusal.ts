export function notAllowed(team: string, toolName: string): string {
  const why = 'its owner does not allow tools that need a permission (grantPermission: no), and no rule covers this'
  return refusal(team, toolName, why)
}

/** As the agent hears it. */
export function refusal(team: string, toolName: string, why: string): string {
  return `Team "${team}" may not use ${toolName}: ${why}.`
}

/** With what the person said to it, if anything. */
export function deniedByPerson(message: string | undefined): string {
  const said = message?.trim().replace(/\.$/, '')
  return said ? `the person who was asked says no: ${said}` : 'the person who was asked says no'
}

/** Why nobody waits for an answer any more; `signal` is aborted with a process's end, or by the CLI. */
export function whyOver(
  signal: AbortSignal,
  { turn }: { readonly turn: { cancelled: AbortSignal } | undefined },
): string {
  if (turn?.cancelled.aborted) return 'the message that it belongs to was cancelled'
  if (signal.reason instanceof DOMException) return 'Claude Code withdrew the question'
  return 'its process has ended'
}

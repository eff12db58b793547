export function notAllowed(team: string, toolName: string): string {
  const why = 'its owner does not allow tools that need a permission (grantPermission: no), and no rule covers this'
  return refusal(team, toolName, why)
}

/** Claude Code asks although a rule allows the tool, or although it only reads: a settings file may demand that. */
export function wouldBeAsked(team: string, toolName: string): string {
  const why = 'Claude Code asks a person about this use, and its owner wants nobody to be asked (grantPermission: no)'
  return refusal(team, toolName, why)
}

/** The refusal as the agent reads it. */
export function refusal(team: string, toolName: string, why: string): string {
  return `Team "${team}" may not use ${toolName}: ${why}.`
}

/** Contains the person's message, if there is one. */
export function deniedByPerson(message: string | undefined): string {
  const said = message?.trim().replace(/\.$/, '')
  return said ? `the person who was asked says no: ${said}` : 'the person who was asked says no'
}

/** Why a question no longer waits. `signal` aborts when the process ends, or when the CLI withdraws the question. */
export function whyOver(
  signal: AbortSignal,
  { turn }: { readonly turn: { cancelled: AbortSignal } | undefined },
): string {
  if (turn?.cancelled.aborted) return 'the message that it belongs to was cancelled'
  if (signal.reason instanceof DOMException) return 'Claude Code withdrew the question'
  return 'its process has ended'
}

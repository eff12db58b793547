import type { ToolUse } from '../../base/rule/tool-use.ts'
import type { Role } from '../../platform/config/config.ts'

interface Refused {
  readonly team: string
  readonly use: Pick<ToolUse, 'toolName'>
  readonly role: Role | undefined
}

export function notAllowed({ team, use, role }: Refused): string {
  const who = isByRole(role) ? `the role "${role.name}"` : 'its owner'
  const why = `${who} does not allow tools that need a permission (${settingOf(role)}), and no rule covers this`
  return refusal(team, use.toolName, why)
}

/**
 * The reason to refuse a tool about which Claude Code asks although a rule allows it, or although it only reads. A
 * settings file may demand that.
 */
export function wouldBeAsked({ team, use, role }: Refused): string {
  const who = isByRole(role) ? `the role "${role.name}"` : 'its owner'
  const why = `Claude Code asks a person about this use, and ${who} wants nobody to be asked (${settingOf(role)})`
  return refusal(team, use.toolName, why)
}

/** A role refuses whatever the team's own setting is. */
function isByRole(role: Role | undefined): role is Role {
  return role?.permission === 'no'
}

function settingOf(role: Role | undefined): string {
  return isByRole(role) ? 'permission: no' : 'grantPermission: no'
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

import { readingTools } from '../../base/rule/rule.ts'
import { below, type Place, pathOf, realPathIn, type ToolUse } from '../../base/rule/tool-use.ts'
import type { Role } from '../../platform/config/config.ts'
import { isNarrowed } from '../../platform/config/roles.ts'
import { isIrisTool } from './iris-tool.ts'
import { refusal } from './refusal.ts'

export interface RoleFacts {
  readonly team: string
  readonly role: Role | undefined
  readonly use: ToolUse
  readonly place: Place
  /** Real paths with credentials, which no narrowed role may read, even within the project. */
  readonly secretPlaces: readonly string[]
}

/**
 * Why a role forbids a tool, whatever rules, settings and people allow; undefined if the role permits it. The process's
 * command line contains the same limits; this check still works if those fail.
 */
export function refusedByRole({ team, role, use, place, secretPlaces }: RoleFacts): string | undefined {
  if (role === undefined || !isNarrowed(role)) return undefined
  const { toolName } = use
  // The operations behind Iris's own tools have their own policy.
  if (isIrisTool(toolName)) return undefined
  const has = (role.tools as readonly string[]).includes(toolName)
  if (!has) return refusal(team, toolName, `the role "${role.name}" does not have it`)
  if (!readingTools.includes(toolName)) return undefined
  const path = pathOf(use, place)
  const real = path === undefined ? undefined : realPathIn(place, path)
  // A search reads everything below the directory in which it begins.
  const isSecret = (secret: string): boolean =>
    real === undefined || below(secret, real) !== undefined || below(real, secret) !== undefined
  if (!secretPlaces.some(isSecret)) return undefined
  return refusal(team, toolName, `the role "${role.name}" may not read places where credentials may be`)
}

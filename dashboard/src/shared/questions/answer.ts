import type { PermissionScope, PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import type { Input } from '../api/operations.ts'
import { askerName } from '../format/asker.ts'
import { texts } from './texts.ts'

/** What a person has changed on a question before answering it. */
export interface Draft {
  readonly rule: string
  /** JSON; undefined while it is not edited. */
  readonly input: string | undefined
  readonly message: string
  /** How far a denial reaches. */
  readonly denialScope: PermissionScope
}

export type Choice = { readonly decision: 'allow' | 'deny'; readonly scope: PermissionScope }

export function freshDraft({ rule }: PermissionView): Draft {
  return { rule: rule ?? '', input: undefined, message: '', denialScope: 'once' }
}

/** The pair that an answer may apply to: `docs → mobile`. */
export function pairOf({ from, team }: Pick<PermissionView, 'from' | 'team'>): string {
  return `${askerName(from)} → ${team}`
}

/** One key per answer. */
export const choices: Readonly<Record<string, Choice & { readonly label: (pair: string) => string }>> = {
  a: { decision: 'allow', scope: 'once', label: () => texts.choices.once },
  s: { decision: 'allow', scope: 'session', label: () => texts.choices.session },
  p: { decision: 'allow', scope: 'pair', label: texts.choices.pair },
  w: { decision: 'allow', scope: 'always', label: () => texts.choices.always },
  d: { decision: 'deny', scope: 'once', label: () => texts.choices.deny },
}

/** The answer to send, bound to exactly the input that is shown; or a text that says why it cannot be sent. Pure. */
export function answerOf(
  permission: PermissionView,
  { decision, ...choice }: Choice,
  draft: Draft,
): Input<'answer_permission'> | string {
  const { permissionId, inputHash } = permission
  const scope = decision === 'deny' ? draft.denialScope : choice.scope
  const bound = { permissionId, inputHash, decision, scope }
  const rule = draft.rule.trim()
  if (scope !== 'once' && rule === '') return texts.noRuleMatches
  const ruled = scope === 'once' ? {} : { rule }
  if (decision === 'deny')
    return { ...bound, ...ruled, ...(draft.message.trim() !== '' && { message: draft.message.trim() }) }
  if (draft.input === undefined) return { ...bound, ...ruled }
  const updatedInput = objectOf(draft.input)
  if (updatedInput === undefined) return texts.inputIsNoObject
  if (scope !== 'once') return texts.changedOnlyOnce
  return { ...bound, updatedInput }
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

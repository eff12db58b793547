import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { askerName } from '../format/asker.ts'
import { texts } from './texts.ts'

type Use = Pick<PermissionView, 'team' | 'toolName'>

/** `mobile wants to run a command` */
export function wantsText({ team, toolName }: Use): string {
  return texts.wants[kindOf(toolName)](team, visible(toolName))
}

/** `You denied mobile's command.` */
export function decidedText({ state, decidedBy, ...use }: Use & Pick<PermissionView, 'state' | 'decidedBy'>): string {
  return texts.decided[state](texts.uses[kindOf(use.toolName)](use.team, visible(use.toolName)), decider(decidedBy))
}

function kindOf(toolName: string): keyof typeof texts.wants {
  return (texts.kinds as Readonly<Record<string, keyof typeof texts.wants>>)[toolName] ?? 'tool'
}

/** Who decided: `You`, `Iris`, or somebody elsewhere, such as in a chat, by name. `by` as the daemon records it. */
function decider(by: string | null): string {
  return deciderIn(texts.deciders, by)
}

/** The same inside a sentence: `you`. */
export function deciderInside(by: string | null): string {
  return deciderIn(texts.decidersInside, by)
}

function deciderIn({ owner, iris, unknown }: typeof texts.deciders, by: string | null): string {
  if (by === 'owner') return owner
  if (by === 'iris') return iris
  return by === null ? unknown : askerName(by)
}

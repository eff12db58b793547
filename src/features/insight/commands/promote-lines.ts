import type { Output } from '../../../adapters/client/tool-call.ts'

export function promoteLines({ team, what }: Output<'promote_turn'>): readonly string[] {
  return [`The open session of ${team} gets the ${what}.`]
}

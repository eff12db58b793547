import { shownPair } from '../../../base/protocol/pair.ts'
import { call } from '../call.ts'
import { say, sayJson } from '../say.ts'
import type { Given } from '../table/spec.ts'

/** Cancels a turn and everything that it caused, and prints what was cancelled. */
export async function stopTree({ env, json }: Given, turnId: string): Promise<void> {
  const output = await call(env, 'session_cancel', { turnId, tree: true })
  if (json) return sayJson(output)
  say(output.message)
  for (const turn of output.ended ?? []) say(`  ${turn.turnId}  ${shownPair(turn)}  ${turn.outcome}`)
}

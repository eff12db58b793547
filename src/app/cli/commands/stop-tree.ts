import { shownPair } from '../../../base/protocol/pair.ts'
import { call } from '../call.ts'
import type { Given } from '../table/spec.ts'

/** Cancels a turn and everything that it caused, and prints what was cancelled. */
export async function stopTree({ context, json }: Given, turnId: string): Promise<void> {
  const output = await call(context, 'session_cancel', { turnId, tree: true })
  if (json) return context.sayJson(output)
  context.say(output.message)
  for (const turn of output.ended ?? []) context.say(`  ${turn.turnId}  ${shownPair(turn)}  ${turn.outcome}`)
}

import type { Turns } from '../../../kernel/accept/turn-handle.ts'

/** Why an open turn, or (without `alone`) one that it waits for, seems stuck; undefined if it does not. */
export async function stuckText(
  turnId: string,
  turns: Pick<Turns, 'living'>,
  alone: boolean,
): Promise<string | undefined> {
  const turn = (await turns.living([turnId])).get(turnId)
  if (turn === undefined || turn.end !== undefined) return undefined
  if (turn.stuck !== undefined || alone) return turn.stuck
  for (const id of turn.awaits) {
    const below = await stuckText(id, turns, alone)
    if (below !== undefined) return below
  }
  return undefined
}

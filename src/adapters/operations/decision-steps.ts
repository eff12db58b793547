import { visible } from '../../base/lib/visible.ts'
import type { Domain } from './call.ts'

/** What Iris decided by itself about the turn, as steps of its story. */
export function decisionSteps(turnId: string, { insightDecisions }: Domain): { at: number; text: string }[] {
  const start = insightDecisions.startFor(turnId)
  const collisions = insightDecisions.collisionsOf(turnId).map(({ at, turn, otherTurn, path }) => ({
    at,
    text:
      turn === turnId
        ? `It was about to change ${visible(path)}, which turn ${otherTurn}, also at work, had used; both agents hear of it.`
        : `Turn ${turn}, also at work, was about to change ${visible(path)}, which this one had used; both agents hear of it.`,
  }))
  if (start === undefined) return collisions
  const { asker, from, to, usedAt, savedMs } = start
  const text = `Its process had been started ahead, because ${asker} asked ${from}, which usually asks ${to} then: ${(savedMs / 1000).toFixed(1)} s saved.`
  return [{ at: usedAt, text }, ...collisions]
}

import { visible } from '../../../base/lib/visible.ts'
import { mainThread, pairText } from '../../../base/protocol/pair.ts'
import type { InsightDecisions } from '../rows/insight-decisions.ts'
import type { WatchedAnswerRows } from '../rows/watched-answers.ts'

/** What these operations work with. */
export interface DecisionStepsParts {
  readonly watchedAnswerRows: Pick<WatchedAnswerRows, 'toldAt' | 'toldSince'>
  readonly insightDecisions: Pick<
    InsightDecisions,
    'startFor' | 'keptFor' | 'overtakingsOf' | 'collisionsOf' | 'startsSince' | 'balancedSince' | 'collisionsSince'
  >
}

/** What Iris decided by itself about the turn, as steps of its story. */
export function decisionSteps(turnId: string, parts: DecisionStepsParts): { at: number; text: string }[] {
  const { insightDecisions } = parts
  const others = [...balancedSteps(turnId, insightDecisions), ...toldSteps(turnId, parts)]
  const start = insightDecisions.startFor(turnId)
  const collisions = insightDecisions.collisionsOf(turnId).map(({ at, turn, otherTurn, path }) => ({
    at,
    text:
      turn === turnId
        ? `It was about to change ${visible(path)}, which turn ${otherTurn}, also at work, had used; both agents hear of it.`
        : `Turn ${turn}, also at work, was about to change ${visible(path)}, which this one had used; both agents hear of it.`,
  }))
  if (start === undefined) return [...others, ...collisions]
  const { asker, from, to, usedAt, savedMs } = start
  const text = `Its process had been started ahead, because ${asker} asked ${from}, which usually asks ${to} then: ${(savedMs / 1000).toFixed(1)} s saved.`
  return [{ at: usedAt, text }, ...others, ...collisions]
}

/** The steps of the changed files name them. */
function toldSteps(turnId: string, { watchedAnswerRows }: DecisionStepsParts): { at: number; text: string }[] {
  const at = watchedAnswerRows.toldAt(turnId)
  return at === null
    ? []
    : [{ at, text: 'Its asker learned at once that a file had changed on which the answer relied.' }]
}

function balancedSteps(
  turnId: string,
  decisions: DecisionStepsParts['insightDecisions'],
): { at: number; text: string }[] {
  const steps = decisions.overtakingsOf(turnId).map(({ at, turn, overtaken }) => ({
    at,
    text:
      turn === turnId
        ? `It went before turn ${overtaken}, which also waited for a process: this team usually answers this asker sooner.`
        : `Turn ${turn} came later and went before it: that one is usually answered sooner. At most four may.`,
  }))
  const kept = decisions.keptFor(turnId)
  if (kept === undefined) return steps
  const { ended, usedAt, savedMs } = kept
  const text = `Its process had been kept, though it was used longest ago, because the next message of ${pairText({ ...ended, thread: mainThread })} was expected later: ${(savedMs / 1000).toFixed(1)} s saved.`
  return [...steps, { at: usedAt, text }]
}

import { secondsText } from '../../../base/lib/duration.ts'
import { visible } from '../../../base/lib/visible.ts'
import { mainThread, pairText } from '../../../base/protocol/pair.ts'
import type { InsightDecisions } from '../rows/insight-decisions.ts'
import type { WatchedAnswerRows } from '../rows/watched-answers.ts'

/** The dependencies of these operations. */
export interface DecisionStepsParts {
  readonly watchedAnswerRows: Pick<WatchedAnswerRows, 'toldAt' | 'toldSince'>
  readonly insightDecisions: Pick<
    InsightDecisions,
    'startFor' | 'keptFor' | 'overtakingsOf' | 'collisionsOf' | 'startsSince' | 'balancedSince' | 'collisionsSince'
  >
}

/** Iris's automatic decisions about the turn, as steps. */
export function decisionSteps(turnId: string, parts: DecisionStepsParts): { at: number; text: string }[] {
  const { insightDecisions } = parts
  const others = [...balancedSteps(turnId, insightDecisions), ...toldSteps(turnId, parts)]
  const start = insightDecisions.startFor(turnId)
  const collisions = insightDecisions.collisionsOf(turnId).map(({ at, turn, otherTurn, path }) => ({
    at,
    text:
      turn === turnId
        ? `It was about to change ${visible(path)}, which turn ${otherTurn}, still working, had used. Both agents got a notice.`
        : `Turn ${turn} was about to change ${visible(path)}, which this turn had used. Both agents got a notice.`,
  }))
  if (start === undefined) return [...others, ...collisions]
  const { asker, from, to, usedAt, savedMs } = start
  const text = `Its process was started early, because ${asker} had asked ${from}, which usually asks ${to} next. That saved ${secondsText(savedMs)}.`
  return [{ at: usedAt, text }, ...others, ...collisions]
}

/** The notice to the asker. Other steps name the changed files. */
function toldSteps(turnId: string, { watchedAnswerRows }: DecisionStepsParts): { at: number; text: string }[] {
  const at = watchedAnswerRows.toldAt(turnId)
  return at === null
    ? []
    : [{ at, text: 'A file that this answer relied on had changed, so Iris notified the asker immediately.' }]
}

function balancedSteps(
  turnId: string,
  decisions: DecisionStepsParts['insightDecisions'],
): { at: number; text: string }[] {
  const steps = decisions.overtakingsOf(turnId).map(({ at, turn, overtaken }) => ({
    at,
    text:
      turn === turnId
        ? `It got a process before turn ${overtaken}, which had waited longer, because this team usually answers this asker sooner.`
        : `Turn ${turn} came later but got a process first, because it is usually answered sooner. At most four messages may do that.`,
  }))
  const kept = decisions.keptFor(turnId)
  if (kept === undefined) return steps
  const { ended, usedAt, savedMs } = kept
  const text = `Its process was kept although it was the least recently used, because ${pairText({ ...ended, thread: mainThread })} was expected to need its own later. That saved ${secondsText(savedMs)}.`
  return [...steps, { at: usedAt, text }]
}

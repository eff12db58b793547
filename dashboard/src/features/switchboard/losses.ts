import type { Session } from './changes.ts'
import { texts } from './texts.ts'
import type { Verb } from './verbs.ts'

/** Exactly what a verb would take away now, and what it would leave, each as a sentence. */
export function lossesOf(verb: Verb, session: Session): string[] {
  return [...lost(verb, session), kept(verb, session)]
}

function lost(verb: Verb, { runningTurnId, queueLength, heldBy, to, messageCount }: Session): string[] {
  const endsConversation = verb === 'reboot' || verb === 'delete'
  const sentences: string[] = []
  if (runningTurnId !== undefined && verb !== 'fork') sentences.push(texts.losses.running(to))
  if (queueLength > 0 && verb !== 'fork') sentences.push(texts.losses.queued[verb](queueLength))
  if (endsConversation && heldBy !== undefined) sentences.push(texts.losses.openElsewhere(heldBy))
  if (endsConversation)
    sentences.push(messageCount === 0 ? texts.losses.nothingAnswered : texts.losses.past(to, messageCount))
  return sentences
}

function kept(verb: Verb, { processState }: Session): string {
  const isStopped = (verb === 'sleep' || verb === 'wake') && processState === 'stopped'
  return isStopped ? texts.losses.nothingRuns : texts.losses.kept[verb]
}

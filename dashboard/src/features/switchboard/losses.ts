import type { Session } from './changes.ts'
import type { Verb } from './verbs.ts'

/** Exactly what a verb takes away now, and what it leaves; a sentence each. */
export function lossesOf(verb: Verb, session: Session): string[] {
  return [...lost(verb, session), kept(verb, session)]
}

function lost(verb: Verb, session: Session): string[] {
  const { runningTurnId, queueLength, heldBy, to } = session
  const endsConversation = verb === 'reboot' || verb === 'delete'
  const sentences: string[] = []
  if (runningTurnId !== undefined && verb !== 'fork') {
    sentences.push(`The message that ${to} is working on is cancelled. What it has done so far stays done.`)
  }
  if (queueLength > 0 && verb !== 'fork') sentences.push(waiting(verb, queueLength))
  if (endsConversation && heldBy !== undefined) {
    sentences.push(`You have it open in a terminal (process ${heldBy}): what is said there no longer belongs to it.`)
  }
  if (endsConversation) sentences.push(past(session))
  return sentences
}

function waiting(verb: Verb, count: number): string {
  const messages = count === 1 ? 'The message that waits' : `The ${count} messages that wait`
  const one = count === 1
  if (verb === 'delete') return `${messages} ${one ? 'is' : 'are'} cancelled too.`
  if (verb === 'reboot') return `${messages} ${one ? 'goes' : 'go'} on in the new conversation.`
  return `${messages} ${one ? 'goes' : 'go'} on afterwards${verb === 'sleep' ? ', which starts the process again' : ''}.`
}

function past({ messageCount, to }: Session): string {
  if (messageCount === 0) return 'Nothing has been answered in it yet.'
  const messages = messageCount === 1 ? 'its 1 message' : `its ${messageCount} messages`
  return `${to} no longer knows what was said: the conversation with ${messages} is archived.`
}

function kept(verb: Verb, { processState }: Session): string {
  switch (verb) {
    case 'cancel':
      return 'The process stays, and the conversation goes on.'
    case 'reboot':
      return 'Its transcripts are kept, and a process is ready with an empty conversation.'
    case 'delete':
      return 'The next message opens a new conversation.'
    case 'fork':
      return 'This conversation does not change. Forking calls no model.'
    case 'sleep':
    case 'wake':
      return processState === 'stopped' ? 'Nothing runs.' : 'The conversation is kept; the next message wakes it.'
  }
}

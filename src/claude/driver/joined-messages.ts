import type { Pair } from '../../base/protocol/pair.ts'
import { withContext, wrapMessage } from './envelope.ts'

/** A message that joins a turn. */
interface Joined {
  readonly message: string
  /** Who sent it in a chat, as JSON. */
  readonly sender: string | null
}

function wrapJoined(pair: Pair, { message, sender }: Joined): string {
  return withContext(sender === null ? undefined : { sender: JSON.parse(sender) as object }, wrapMessage(pair, message))
}

/** A message that joins the turn in progress. */
export function wrapSteer(pair: Pair, joined: Joined): string {
  const note = 'This belongs to the message that you work on. Answer both together.'
  return `<iris-continuation>\n${note}\n</iris-continuation>\n${wrapJoined(pair, joined)}`
}

/** Adds the messages that joined the turn after its first delivery. The process that got them has ended. */
export function withSteers(pair: Pair, steers: readonly Joined[], text: string): string {
  if (steers.length === 0) return text
  const note = 'The asker added this while you worked on the message above. You may know it already.'
  const added = steers.map((joined) => wrapJoined(pair, joined))
  return `${text}\n<iris-continuation>\n${note}\n</iris-continuation>\n${added.join('\n')}`
}

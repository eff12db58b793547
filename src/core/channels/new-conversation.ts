/** Why conversations of chats were archived, by what the rows say. */
export const archivings = {
  idle: 'nobody wrote for too long',
  crowded: 'other channels were used later, and there are no more places',
  byChat: 'ended in its channel',
} as const

/** Reasons for which the chat hears nothing: it began the new conversation itself. */
const knownThere: ReadonlySet<string> = new Set([archivings.byChat])

const told: Readonly<Record<string, string>> = {
  [archivings.idle]: 'nobody wrote here for a while.',
  [archivings.crowded]: 'the last one made room for other chats.',
  'deleted on request': 'the last one was deleted.',
}

/**
 * What the chat hears with the first answer of a new conversation; undefined: nothing. `why`: why its last one was archived. Other reasons than these name
 * paths and programs, which only the owner may see.
 */
export function newConversationText(why: string | null | undefined): string | undefined {
  if (why === undefined || why === null || knownThere.has(why)) return undefined
  return `This is a new conversation: ${told[why] ?? 'the last one came to its end.'}`
}

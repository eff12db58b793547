const prefix = 'live:'

/**
 * The thread of messages for a person's open session of a team. They need no process of Iris, and do not wait behind
 * the messages of the pair's own conversation.
 */
export function openSessionThread(thread: string): string {
  return `${prefix}${thread}`
}

/** Whether messages of a thread go to an open session. Callers may not name such a thread themselves. */
export function isOpenSessionThread(thread: string): boolean {
  return thread.startsWith(prefix)
}

/** Removes the prefix, if there is one: the thread of the pair's own conversation. */
export function ownThread(thread: string): string {
  return isOpenSessionThread(thread) ? thread.slice(prefix.length) : thread
}

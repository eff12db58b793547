const prefix = 'live:'

/**
 * The thread of messages for a person's open session of a team. They need no process of Iris, and do not wait behind those
 * that the pair's own conversation answers.
 */
export function liveThread(thread: string): string {
  return `${prefix}${thread}`
}

/** Whether messages of a thread go to an open session. Callers may not name such a thread themselves. */
export function isLiveThread(thread: string): boolean {
  return thread.startsWith(prefix)
}

/** The thread of the pair's own conversation; any other thread is returned unchanged. */
export function threadBesideLive(thread: string): string {
  return isLiveThread(thread) ? thread.slice(prefix.length) : thread
}

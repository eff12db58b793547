/** The subject by which mark_inbox pins a conversation. */
export function conversationSubject(sessionId: string): string {
  return `conversation:${sessionId}`
}

/** The subject by which mark_inbox pins a conversation. The dashboard uses it too; the inbox reads it in `subject.ts`. */
export function conversationSubject(sessionId: string): string {
  return `conversation:${sessionId}`
}

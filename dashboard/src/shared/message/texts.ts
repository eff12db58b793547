/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  messageButton: 'Message…',
  messageTo: (team: string) => `Message to ${team}`,
  newConversation: 'New conversation',
}

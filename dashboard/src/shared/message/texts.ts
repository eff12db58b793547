/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  messageButton: 'Message…',
  messageTo: (team: string) => `Message to ${team}`,
  newConversation: 'New conversation',
}

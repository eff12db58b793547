/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  attach: ' Attach…',
  attachedFiles: 'Attached files',
  sentAsYou: 'It is sent as you. Ctrl+Enter sends.',
  itWasNotSent: (message: string, remedy: string) => `It was not sent. ${message} ${remedy}`,
  main: 'main',
  messageButton: 'Message…',
  messageField: 'Message',
  messageTo: (team: string) => `Message to ${team}`,
  newConversation: 'New conversation',
  notAttached: (problems: string) => `Not attached: ${problems}`,
  remove: (name: string) => `Remove ${name}`,
  send: 'Send',
  sending: 'Sending…',
  team: 'Team',
  thread: 'Thread',
}

/** The palette's texts, loaded with it. */
export const texts = {
  findTeamsConversationsMessages: 'Find teams, conversations, messages and actions',
  found: 'Found',
  nothingWasFound: 'Nothing was found.',
  kinds: { action: 'Action', team: 'Team', conversation: 'Conversation', message: 'Message' },
  notificationsOff: 'Turn off desktop notifications',
  notificationsOn: 'Turn on desktop notifications',
  newConversation: 'New conversation',
  goTo: (screen: string) => `Go to ${screen}`,
  messageTo: (team: string) => `Message ${team}`,
  itsConversations: 'its conversations',
  answers: (team: string, asker: string) => `${team} answers ${asker}`,
}

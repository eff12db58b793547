/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  asks: 'asks',
  chooseNewConversationOr: 'Choose “New conversation”, or let one of your projects ask another one.',
  inbox: 'Inbox',
  loading: 'Loading…',
  noTeamHasBeen: 'No team has been asked yet.',
  olderConversations: 'Older conversations',
  queued: (queueLength: number) => `${queueLength} queued`,
  teams: 'Teams',
  theInbox: 'the inbox',
}

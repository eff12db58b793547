/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  asks: 'asks',
  cancel: 'Cancel',
  cancelThis: (from: string, to: string) => `Cancel the scheduled message from ${from} to ${to}`,
  chooseNewConversationOr: 'Choose “New conversation”, or let one of your projects ask another one.',
  inbox: 'Inbox',
  isSentNoMore: 'It is no longer sent.',
  loading: 'Loading…',
  noTeamHasBeen: 'No team has been asked yet.',
  olderConversations: 'Older conversations',
  queued: (queueLength: number) => `${queueLength} queued`,
  scheduled: 'Scheduled',
  sentAt: (time: string, every: string | undefined) =>
    `${time}, ${every === undefined ? 'once' : `then every ${every}`}`,
  teams: 'Teams',
  theInbox: 'the inbox',
  timeIsOver: 'Its time is over.',
  pair: (from: string, to: string, thread: string) => `${from} to ${to}${thread === '' ? '' : `, ${thread}`}`,
  sections: {
    waiting: 'Waiting for you',
    failed: 'Failed',
    openElsewhere: 'Open elsewhere',
    working: 'Working',
    others: 'Conversations',
  },
}

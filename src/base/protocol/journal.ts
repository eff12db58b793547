/** What the journal of the store records, each named like the event that the daemon publishes of it. */
export const journalTypes = [
  'turn-accepted',
  'turn-settled',
  'permission:request',
  'permission:resolved',
  'permission:timeout',
] as const

export type JournalType = (typeof journalTypes)[number]

/** The kinds of journal rows, each named like the event that the daemon publishes. */
export const journalTypes = [
  'turn-accepted',
  'turn-settled',
  'permission:request',
  'permission:resolved',
  'permission:timeout',
] as const

export type JournalType = (typeof journalTypes)[number]

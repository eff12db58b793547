import { limitWords } from '../../../../src/base/protocol/limit.ts'

/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  close: 'Close',
  closeThisNotice: 'Close this notice',
  copied: 'Copied',
  loading: (what: string) => `Loading ${what}…`,
  lookAmongAllConversations: 'Look among all conversations',
  tryAgain: 'Try again',
  loginRanOut: (limit: string | undefined, until: string) => `Account: ${limitWords(limit, until)}`,
  overLimit: (limit: string | undefined, until: string) => `Account: over its ${limitName(limit)} until ${until}`,
}

function limitName(limit = 'account'): string {
  if (limit === 'five_hour') return 'five-hour limit'
  return limit === 'seven_day' ? 'weekly limit' : `limit (${limit})`
}

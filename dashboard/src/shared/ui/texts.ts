import { limitWords } from '../../../../src/base/protocol/limit.ts'

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  close: 'Close',
  closeThisNotice: 'Close this notification',
  copied: 'Copied',
  whatIsAskedFor: 'the dialog',
  loading: (what: string) => `Loading ${what}…`,
  lookAmongAllConversations: 'Search all conversations',
  role: (role: string) => `Role ${role}`,
  thread: (thread: string) => `Thread ${thread}`,
  tryAgain: 'Try again',
  account: (...limit: Parameters<typeof limitWords>) => `Account: ${limitWords(...limit)}`,
}

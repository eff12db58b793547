import { counted } from './counted.ts'

/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  asks: (from: string, to: string) => `${from} asks ${to}`,
  conversations: (count: number) => counted(count, 'conversation'),
  // What a number of conversations does, after the number: "1 conversation waits for you, 2 have failed."
  needs: {
    waiting: (count: number) => (count === 1 ? 'waits for you' : 'wait for you'),
    expired: (_count: number) => 'waited for you too long',
    failed: (count: number) => (count === 1 ? 'has failed' : 'have failed'),
    openElsewhere: (count: number) =>
      count === 1 ? 'is open elsewhere while messages wait' : 'are open elsewhere while messages wait',
  },
  you: 'you',
  youAsk: (to: string) => `you ask ${to}`,
}

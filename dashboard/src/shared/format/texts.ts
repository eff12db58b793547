import { counted } from './counted.ts'

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  // A chat of which only the place and id are known.
  chat: (place: string, id: string) =>
    place === 'forward'
      ? id
      : place === 'viewer'
        ? `${id === 'owner' ? 'you' : id} (chat)`
        : `${place.slice(0, 1).toUpperCase()}${place.slice(1)} ${id}`,
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
  roleWord: (role: string) => `role ${role}`,
  thread: (thread: string) => `thread ${thread}`,
  you: 'you',
  youAsk: (to: string) => `you ask ${to}`,
}

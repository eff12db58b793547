import type { ChannelConfig } from '../../platform/config/config.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChannelPersonRow } from './rows/channel-people.ts'

export type Admission = 'ask' | 'pair' | 'ignore'

/** Decides about a message from its sender and chat only, never from its text. Pure. */
export function admit(
  message: ChatMessage,
  { allow, groups }: Pick<ChannelConfig, 'allow' | 'groups'>,
  person: ChannelPersonRow | undefined,
): Admission {
  const { isBot, isDirect, senderId, groupId, isAddressed } = message
  if (isBot) return 'ignore'
  const isKnown = allow.includes(senderId) || person?.code === null
  if (isDirect) return isKnown ? 'ask' : 'pair'
  const rule = Object.hasOwn(groups, groupId) ? groups[groupId] : undefined
  if (rule === undefined) return 'ignore'
  return rule === 'always' || isAddressed ? 'ask' : 'ignore'
}

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 6

/** How long a pairing code is valid, in milliseconds, and how many codes may be open at once. */
export const codeValidMs = 3_600_000
export const maxCodes = 3

/** Six characters out of 32 that are hard to confuse, which gives 2^30 codes. `random` returns bytes. */
export function pairingCode(random: (length: number) => Uint8Array): string {
  return Array.from(random(codeLength), (byte) => letters[byte % letters.length]).join('')
}

import type { ChannelConfig } from '../../platform/config/config.ts'
import type { ChannelPersonRow } from '../../platform/store/channel-people.ts'
import type { ChatMessage } from './chat-message.ts'

export type Admission = 'ask' | 'pair' | 'ignore'

/** What becomes of a message, by who wrote it and where; what it says plays no part. Pure. */
export function admission(
  message: ChatMessage,
  { allow, groups }: Pick<ChannelConfig, 'allow' | 'groups'>,
  person: ChannelPersonRow | undefined,
): Admission {
  const { isBot, isDirect, senderId, channelId, isAddressed } = message
  if (isBot) return 'ignore'
  const isKnown = allow.includes(senderId) || person?.code === null
  if (isDirect) return isKnown ? 'ask' : 'pair'
  const [group = ''] = channelId.split('/')
  const rule = Object.hasOwn(groups, group) ? groups[group] : undefined
  if (rule === undefined) return 'ignore'
  return rule === 'always' || isAddressed ? 'ask' : 'ignore'
}

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 6

/** How long a code may be used, and how many may be open at once. */
export const codeForMs = 3_600_000
export const mostCodes = 3

/** Six characters that nobody takes for one another; 2^30 of them. `random` gives bytes. */
export function pairingCode(random: (length: number) => Uint8Array): string {
  return Array.from(random(codeLength), (byte) => letters[byte % letters.length]).join('')
}

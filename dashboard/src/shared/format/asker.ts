import { external, mainThread, type Pair } from '../../../../src/base/protocol/pair.ts'
import { roleOfThread, threadBesideRole } from '../../../../src/base/protocol/role.ts'
import { texts } from './texts.ts'

/** Who asks from a chat: the place, such as `telegram`, and its id there. Undefined if the asker is not a chat. */
export function chatOf(asker: string): { readonly place: string; readonly id: string } | undefined {
  const [, place, id] = /^([a-z]+):(.+)$/s.exec(asker) ?? []
  return place === undefined || id === undefined ? undefined : { place, id }
}

/** Who asks, as people read it: the browser's own person is `you`, a chat `Telegram 42`. */
export function askerName(asker: string): string {
  const chat = chatOf(asker)
  return asker === external ? texts.you : chat === undefined ? asker : texts.chat(chat.place, chat.id)
}

/** Who asks whom, as a sentence. */
export function asksText(from: string, to: string): string {
  return from === external ? texts.youAsk(to) : texts.asks(askerName(from), to)
}

/**
 * The thread of a conversation as people read it, and the role whose rights apply in it. Both are undefined for the
 * main thread without a role.
 */
export function threadParts(thread: string): { readonly name: string | undefined; readonly role: string | undefined } {
  const name = threadBesideRole(thread)
  return { name: name === mainThread ? undefined : name, role: roleOfThread(thread) }
}

/** The same as one text: `#review`, `#review (role chat_bot)`; empty for the main thread. */
export function threadText(thread: string): string {
  const { name, role } = threadParts(thread)
  return [name === undefined ? '' : `#${name}`, role === undefined ? '' : `(${texts.roleWord(role)})`]
    .filter(Boolean)
    .join(' ')
}

/** The same in words, for screen readers: `thread review, role chat_bot`. */
export function threadWords(thread: string): string {
  const { name, role } = threadParts(thread)
  return [name === undefined ? '' : texts.thread(name), role === undefined ? '' : texts.roleWord(role)]
    .filter(Boolean)
    .join(', ')
}

/** The title of a conversation: `frontend → backend #review`. */
export function pairTitle({ from, to, thread }: Pair, nameOf = askerName): string {
  return [`${nameOf(from)} → ${to}`, threadText(thread)].filter(Boolean).join(' ')
}

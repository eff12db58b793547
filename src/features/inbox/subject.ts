import type { ItemKind } from '../../base/protocol/inbox-needs.ts'

/** The first word of a subject, by its kind; what follows the colon is the id of a turn, a question or a conversation. */
const words = {
  question: 'question',
  expired: 'expired',
  failed: 'failed',
  broken: 'broken',
  openElsewhere: 'open',
  undelivered: 'undelivered',
  event: 'event',
  answer: 'answer',
} as const satisfies Record<ItemKind, string>

const kinds = new Map<string, ItemKind>(Object.entries(words).map(([kind, word]) => [word, kind as ItemKind]))

/** `answer:<turn id>`, `question:<permission id>`, `open:<session id>`. */
export function subjectOf(kind: ItemKind, id: string): string {
  return `${words[kind]}:${id}`
}

/** Undefined for a text that is no subject. */
export function readSubject(
  subject: string,
): { readonly kind: ItemKind | 'conversation'; readonly id: string } | undefined {
  const [word = '', ...rest] = subject.split(':')
  const kind = word === 'conversation' ? word : kinds.get(word)
  const id = rest.join(':')
  return kind === undefined || id === '' ? undefined : { kind, id }
}

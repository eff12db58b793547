/**
 * What becomes of a part of a message. `taken`: the agent gets it. `quoted`: the agent gets it as a quote, with its
 * author. `refused`: the agent does not get it, and Iris says so in the chat. `about`: it is not content. `event`:
 * nobody wrote the message.
 */
export type Fate = 'taken' | 'quoted' | 'refused' | 'about' | 'event'

/** One kind of content that a platform's message may have. The table in the guide is made from these kinds. */
export interface MessageKind {
  /** In words for the chat, with an article: `a voice message`. */
  readonly is: string
  readonly becomes: Fate
  /** A note for the guide, if the fate alone does not say enough. */
  readonly how?: string
}

export const taken = (is: string, how?: string): MessageKind => kind(is, 'taken', how)
export const quoted = (is: string, how?: string): MessageKind => kind(is, 'quoted', how)
export const refused = (is: string, how?: string): MessageKind => kind(is, 'refused', how)
export const about = (is: string, how?: string): MessageKind => kind(is, 'about', how)
export const event = (is: string, how?: string): MessageKind => kind(is, 'event', how)

function kind(is: string, becomes: Fate, how?: string): MessageKind {
  return { is, becomes, ...(how !== undefined && { how }) }
}

/** The same kind for several names. */
export function each<Name extends string>(one: MessageKind, ...names: readonly Name[]): Record<Name, MessageKind> {
  return Object.fromEntries(names.map((name) => [name, one])) as Record<Name, MessageKind>
}

/** The refused kinds among the parts, each once. */
export function refusedOf(parts: Iterable<MessageKind | undefined>): string[] {
  const found = [...parts].flatMap((one) => (one?.becomes === 'refused' ? [one.is] : []))
  return [...new Set(found)]
}

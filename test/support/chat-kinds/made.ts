import type { Json } from '../chat-double.ts'

/** A part of a message, as the documentation of its platform has it, and what has to become of it. */
export interface Part {
  /** The name by which kinds.ts has it. */
  readonly kind: string
  readonly fields: Json
  /** What the agent must receive: text, addresses and authors. */
  readonly reads?: readonly string[]
  /** Names of files that it must get. */
  readonly files?: readonly string[]
  /** What the chat must say that it is not read, as a word of it. */
  readonly says?: string
  /** It can be answered without any words of the sender. */
  readonly isEnough?: true
  /** Telegram has the words below it, as its caption. */
  readonly hasCaption?: true
  /** Nobody wrote the message. */
  readonly isNotice?: true
}

/** A message in the form of its platform. */
export interface Made {
  readonly of: string
  /** The names of its parts. */
  readonly kinds: readonly string[]
  readonly message: Json
  readonly reads: readonly string[]
  readonly files: readonly string[]
  readonly says: readonly string[]
  readonly isNotice: boolean
  /** It is answered; else the chat says why not. */
  readonly isTaken: boolean
}

export interface Platform {
  /** Each part once; `mark` makes a word that is nowhere else. */
  parts(mark: () => string): readonly Part[]
  /** `words`: absent in a message without any. */
  message(number: number, words: string | undefined, parts: readonly Part[]): Json
}

/**
 * Messages of all kinds: each part by itself and below words, and then any two parts together. `pick` gives a whole number
 * from 0 to below its argument.
 */
/** How many messages have two parts, at least. */
const maxPairs = 40

export function madeMessages(platform: Platform, count: number, pick: (below: number) => number): Made[] {
  let marks = 0
  const mark = (): string => `mark${(marks += 1)}x`
  const kinds = platform.parts(mark).length
  return Array.from({ length: Math.max(count, 2 * kinds + maxPairs) }, (_, number) => {
    const parts = platform.parts(mark)
    const [one, other] = [parts[number % kinds]!, parts[pick(kinds)]!]
    const isPair = number >= 2 * kinds && !one.isNotice && !other.isNotice && !overlap(one, other)
    const chosen = isPair ? [one, other] : [one]
    // Notices have no words.
    const hasWords = !one.isNotice && (isPair ? pick(3) > 0 : number >= kinds)
    const words = hasWords ? `${mark()} is what they say` : undefined
    const reads = chosen.flatMap((part) => part.reads ?? [])
    const unread = chosen.flatMap(({ says }) => says ?? [])
    return {
      of: `${number}: ${chosen.map(({ kind }) => kind).join(' and ')}${hasWords ? ' with words' : ''}`,
      kinds: chosen.map(({ kind }) => kind),
      message: platform.message(number, words, chosen),
      reads: [...(words === undefined ? [] : [words]), ...reads],
      files: chosen.flatMap(({ files }) => files ?? []),
      says: unread,
      isNotice: one.isNotice === true,
      // A reply without text refers to the quoted message, if that is complete.
      isTaken: hasWords || chosen.some(({ isEnough }) => isEnough) || (reads.length > 0 && unread.length === 0),
    }
  })
}

function overlap(one: Part, other: Part): boolean {
  return one.kind === other.kind || Object.keys(one.fields).some((field) => field in other.fields)
}

import type { SessionFilter } from '../../platform/store/session-filter.ts'

export interface SearchQuery {
  /** The query as a person typed it. */
  readonly text: string
  readonly filter: SessionFilter
  readonly limit: number
  /** Only texts before this place in the order of all texts, such as `Found.next`; undefined for all texts. */
  readonly before: number | undefined
}

/** Consecutive pieces of a text, with the matches marked. */
export type Snippet = readonly { readonly text: string; readonly isMatch: boolean }[]

export interface Hit {
  readonly turnId: string
  readonly sessionId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly where: 'message' | 'answer'
  /** When the message was accepted or answered, milliseconds since the epoch. */
  readonly at: number
  readonly snippet: Snippet
}

export interface Found {
  /** Newest first. */
  readonly hits: readonly Hit[]
  /** `before` for the next page; undefined if there are no more hits. */
  readonly next: number | undefined
  /** The index does not have all texts yet, so hits may be missing. */
  readonly isIndexing: boolean
}

import type { SessionFilter } from '../store/session-filter.ts'

export interface SearchQuery {
  /** As a person typed it. */
  readonly text: string
  readonly filter: SessionFilter
  readonly limit: number
  /** Only what stands before this place in the order of all texts. */
  readonly before: number | undefined
}

/** Pieces of a text in their order; those that fit what was looked for are marked. */
export type Snippet = readonly { readonly text: string; readonly isMatch: boolean }[]

export interface Hit {
  readonly turnId: string
  readonly sessionId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly where: 'message' | 'answer'
  /** Asked, or answered: milliseconds since the epoch. */
  readonly at: number
  readonly snippet: Snippet
}

export interface Found {
  /** The newest first. */
  readonly hits: readonly Hit[]
  /** There may be more before this place. */
  readonly next: number | undefined
  /** Older texts are still being taken in, so that some may be missing. */
  readonly isIndexing: boolean
}

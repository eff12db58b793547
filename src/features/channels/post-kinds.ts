import type { ChannelPostRow } from './rows/channel-posts.ts'

/** The problem of an answer whose placeholder cannot be edited; the answer is then posted as a new message. */
export const uneditable = 'its message cannot be edited'

/**
 * Whether the post is an answer. Iris's own texts and questions are not: they may quote anything, which must be shown
 * literally.
 */
export function isAnswer({ turn }: ChannelPostRow): boolean {
  return turn !== null
}

/** Whether the post is the file with an answer that is too long for posts. */
export function isAnswerFile({ piece }: ChannelPostRow): boolean {
  return piece < 0
}

/**
 * Whether posting twice does no harm. This is true of a placeholder, because only one placeholder becomes the answer.
 */
export function mayRepeat(row: ChannelPostRow): boolean {
  return isAnswer(row) && !isAnswerFile(row) && row.problem !== uneditable
}

/** The problem to keep while the row is being posted, so that it is posted in the same way after a crash. */
export function keptProblem({ problem }: ChannelPostRow): { readonly problem?: string } {
  return problem === null ? {} : { problem }
}

/**
 * Part of a post's key, so that the platform does not mistake a replacement message for a repetition of the first one.
 */
export function nthMessage({ problem }: ChannelPostRow): string {
  return problem === uneditable ? 'n' : ''
}

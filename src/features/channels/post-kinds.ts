import type { ChannelPostRow } from './rows/channel-posts.ts'

/** The problem of an answer whose message cannot take it; it is then posted as its own message. */
export const uneditable = 'its message cannot be edited'

/** Iris's own texts and questions may quote anything, which must be shown as it is. */
export function isAnswer({ turn }: ChannelPostRow): boolean {
  return turn !== null
}

/** Whether the post is the file with an answer that is too long for posts. */
export function isAnswerFile({ piece }: ChannelPostRow): boolean {
  return piece < 0
}

/** A placeholder: a second one does no harm, since only one of them becomes the answer. */
export function mayRepeat(row: ChannelPostRow): boolean {
  return isAnswer(row) && !isAnswerFile(row) && row.problem !== uneditable
}

/** The problem to keep while the row is being posted: after a crash, it is posted in the same way. */
export function keptProblem({ problem }: ChannelPostRow): { readonly problem?: string } {
  return problem === null ? {} : { problem }
}

/** Part of a post's key: the platform must not mistake the message that replaces another one for a repetition. */
export function nthMessage({ problem }: ChannelPostRow): string {
  return problem === uneditable ? 'n' : ''
}

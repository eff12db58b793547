import { type ErrorCode, IrisError, toIrisError } from '../../base/protocol/error.ts'

/** Of these a caller cannot know whether his message is kept all the same; the others say what is wrong with the call. */
const unclear: ReadonlySet<ErrorCode> = new Set(['internal', 'shutting_down', 'store_unavailable'])

/**
 * Accepts a message, or says of a failure that it did not: `accept` throws before the store has committed, never after.
 * `byKey` finds what an earlier call with the same key has had accepted.
 */
export async function accepted<T>(accept: () => T | Promise<T>, byKey: () => unknown): Promise<T> {
  try {
    return await accept()
  } catch (error) {
    throw withWords(
      error,
      (await isKnown(byKey)) ?? 'Whether an earlier call with its key was accepted cannot be told now.',
    )
  }
}

async function isKnown(byKey: () => unknown): Promise<string | undefined> {
  try {
    return (await byKey()) === undefined
      ? 'Not accepted: nothing was sent.'
      : 'An earlier call with its key was accepted.'
  } catch {
    return undefined
  }
}

/** What else a call does whose message is accepted: a failure of that does not take it back. */
export async function ofAccepted<T>(turnId: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw withWords(error, `The message was accepted: ask message_status for turn ${turnId}.`)
  }
}

function withWords(error: unknown, words: string): unknown {
  const { code, message, remedy, retryAfterMs } = toIrisError(error)
  return unclear.has(code) ? new IrisError(code, `${message} ${words}`, remedy, { cause: error, retryAfterMs }) : error
}

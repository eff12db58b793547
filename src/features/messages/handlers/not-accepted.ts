import { type ErrorCode, IrisError, toIrisError } from '../../../base/protocol/error.ts'

/**
 * After these errors a caller cannot know whether the message was accepted; all other errors name a fault in the call.
 */
const unclear: ReadonlySet<ErrorCode> = new Set(['internal', 'shutting_down', 'store_unavailable'])

/**
 * Accepts a message. If this fails, the error says that the message was not accepted: `accept` throws only before the
 * store commits. `byKey` finds the turn that an earlier call with the same key has begun.
 */
export async function accepted<T>(accept: () => T | Promise<T>, byKey: () => unknown): Promise<T> {
  try {
    return await accept()
  } catch (error) {
    throw withWords(
      error,
      (await isKnown(byKey)) ?? 'Iris cannot tell now whether an earlier call with its key was accepted.',
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

/** Runs the rest of a call whose message is accepted. If that fails, the error says that the message stays accepted. */
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

import { type Clock, pause } from '../../base/lib/clock.ts'
import { DownloadFailure } from '../../base/lib/download.ts'
import { maxFiles, maxOfFile, maxOfMessage } from '../../base/protocol/attachment.ts'
import type { AttachedFile } from '../../kernel/turn/ask.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChatPlatform } from './chat-platform.ts'

/** The pause between two attempts to fetch a file, milliseconds. */
const pauseMs = 1000
/** Iris gives up on a file that fails this often, so that it does not block the messages behind it. */
const maxTries = 3

/**
 * Limits for the bytes of files that Iris keeps for one person and for one channel, so that neither can fill the store.
 */
const maxBytesOfSender = 200 * 1024 ** 2
const maxBytesOfChannel = 1024 ** 3

/**
 * Why Iris refuses files, given how many bytes of files it keeps for this sender and in total. Undefined if it accepts
 * them.
 */
export function whyFilesRefused(kept: { readonly ofSender: number; readonly total: number }): string | undefined {
  if (kept.ofSender >= maxBytesOfSender)
    return `your files here already take up ${maxBytesOfSender / 1024 ** 2} MB. Ask without a file.`
  if (kept.total >= maxBytesOfChannel)
    return `the files of this channel already take up ${maxBytesOfChannel / 1024 ** 2} MB. Ask without a file.`
  return undefined
}

/**
 * The files of a message, or a sentence that tells the person why Iris refuses the message. Throws when `signal`
 * aborts: the channel ends, and its platform delivers the message again.
 */
export async function chatFiles(
  { files = [] }: ChatMessage,
  platform: ChatPlatform | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly AttachedFile[] | string> {
  if (files.length > maxFiles) return `it has more than ${maxFiles} files.`
  const known = files.map(({ bytes = 0 }) => bytes)
  if (known.some((bytes) => bytes > maxOfFile) || known.reduce((sum, bytes) => sum + bytes, 0) > maxOfMessage)
    return tooLarge
  const found: AttachedFile[] = []
  for (const { name, place } of files) {
    const content = await withRetries(() => platform?.download(place, maxOfFile, signal), clock, signal)
    if (content === undefined) return 'a file of your message could not be fetched. Send it again.'
    found.push({ name, content })
  }
  return found.reduce((sum, { content }) => sum + content.length, 0) > maxOfMessage ? tooLarge : found
}

const tooLarge = `a file may be at most ${maxOfFile / 1024 ** 2} MB, all files together ${maxOfMessage / 1024 ** 2} MB.`

async function withRetries(
  step: () => Promise<Buffer> | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await step()
    } catch (error) {
      if (signal.aborted || !(error instanceof DownloadFailure)) throw error
      if (!error.mayPass || tries === maxTries) return undefined
      await pause(clock, pauseMs, signal)
    }
  }
}

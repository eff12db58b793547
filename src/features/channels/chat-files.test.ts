import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { DownloadFailure } from '../../base/lib/download.ts'
import { chatFiles } from './chat-files.ts'
import type { ChatMessage } from './chat-message.ts'
import type { ChatPlatform } from './chat-platform.ts'

const message = { files: [{ name: 'shot.png', place: 'there' }] } as unknown as ChatMessage

/** A platform that gives no file before the channel ends. */
const silent: Pick<ChatPlatform, 'download'> = {
  download: (_place, _mostBytes, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DownloadFailure('the connection broke', true)))
    }),
}

test('a channel that ends while a file is fetched takes no message, so that it comes again', async () => {
  const over = new AbortController()
  const files = chatFiles(message, silent as ChatPlatform, new FakeClock(), over.signal)
  over.abort()
  await expect(files).rejects.toThrow('the connection broke')
  await expect(chatFiles(message, undefined, new FakeClock(), over.signal)).rejects.toThrow('aborted')
})

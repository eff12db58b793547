import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ChatTools, type ChatToolsParts } from './chat-tools.ts'

const mebibyte = 1024 ** 2
const asked = { turnId: 'turn', thread: 'role:os_agent' }
const content = new Uint8Array(mebibyte)

/** A chat in which so many bytes wait to be posted, in one and in all. */
function chatWith(ofChat: number, total: number) {
  const added: string[] = []
  const parts = {
    config: () => ({ roles: new Map([['os_agent', { tools: 'all', chatTools: ['file', 'reply'] }]]) }),
    clock: new FakeClock(),
    messages: {
      ofTurn: () => ({ source: 'shop', chat: 'telegram:42', messageId: '1', state: 'asked' }),
      atomically: (write: () => void) => write(),
    },
    posts: { fileBytes: () => ({ ofChat, total }), addFile: (_post: object, name: string) => added.push(name) },
    platformOf: () => ({ longestText: 4096, lengthOf: (text: string) => text.length }),
    work: () => {},
  } as unknown as ChatToolsParts
  return { tools: new ChatTools(parts), added }
}

test.each([
  ['40 MB of one chat', 39 * mebibyte, 39 * mebibyte, 40 * mebibyte],
  ['256 MB of all', 0, 255 * mebibyte, 256 * mebibyte],
])('files that wait to be posted are bounded to %s', (_what, ofChat, total, bound) => {
  const fits = chatWith(ofChat, total)
  expect(fits.tools.sendFile(asked, 'out/picture.png', content)).toBe('picture.png')
  expect(fits.added).toEqual(['picture.png'])
  const full = chatWith(ofChat === 0 ? 0 : bound - mebibyte + 1, bound - mebibyte + 1)
  expect(() => full.tools.sendFile(asked, 'out/picture.png', content)).toThrow(
    'Too many files are waiting to be posted.',
  )
  expect(full.added).toEqual([])
})

test('one answer has twenty posts beside it at most, whatever they are', () => {
  const { tools, added } = chatWith(0, 0)
  for (let each = 0; each < 20; each += 1) tools.sendFile(asked, `${each}.png`, content)
  expect(() => tools.sendFile(asked, 'more.png', content)).toThrow('you can post at most 20 times')
  expect(added).toHaveLength(20)
})

test('a reply of which nothing can be seen is refused in words', () => {
  expect(() => chatWith(0, 0).tools.reply(asked, ' \u200b\u2069')).toThrow('no visible characters')
})

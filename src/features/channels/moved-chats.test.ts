import { expect, test } from 'vitest'
import type { ChatMessage } from './chat-message.ts'
import { ChatFailure, type ChatPlatform, type NewChatPost } from './chat-platform.ts'
import { MovedChats, throughMoves } from './moved-chats.ts'
import type { ChannelMove } from './rows/channel-changes.ts'

const [old, now] = ['-4012', '-1004012']

function movesOf(listed: readonly string[], moves: readonly ChannelMove[] = [], restartsIds = true) {
  const recorded: ChannelMove[] = []
  const record = (move: ChannelMove): void => void recorded.push(move)
  return { recorded, moves: new MovedChats({ moves, isListed: (id) => listed.includes(id), record, restartsIds }) }
}

const written = (channelId: string): ChatMessage =>
  ({ channelId, groupId: channelId.split('/')[0], messageId: '7', senderId: '42' }) as ChatMessage

test('a listed group alone moves, once for each id, and never in a circle', () => {
  const { moves, recorded } = movesOf([old])
  expect(moves.move('-4013', '-1004013')).toBe(false)
  expect(moves.move(old, now)).toBe(true)
  expect(moves.move(old, now)).toBe(true)
  expect(moves.move(now, old)).toBe(false)
  expect(moves.move(old, old)).toBe(false)
  expect(moves.move(now, '-1005')).toBe(true)
  expect(recorded).toEqual([
    { from: old, to: now },
    { from: now, to: '-1005' },
  ])
})

test('what comes from the new chat has the name of the old one, whichever id is listed, and numbers of its own', () => {
  const move = { from: old, to: now }
  for (const listed of [old, now]) {
    const { moves } = movesOf([listed], [move])
    expect(moves.message(written(`${now}/3`))).toMatchObject({
      channelId: `${old}/3`,
      groupId: listed,
      messageId: `7@${now}`,
    })
    expect(moves.message(written(old))).toMatchObject({ channelId: old, messageId: '7' })
  }
  expect(movesOf([old]).moves.message(written(now))).toEqual(written(now))
})

test('a post goes to the new chat as soon as the platform says so; a message of the old one is gone', async () => {
  const { moves } = movesOf([old])
  const requests: unknown[] = []
  const request = async (channelId: string, what: unknown): Promise<string> => {
    requests.push([channelId, what])
    if (channelId === old) throw new ChatFailure('never', 'upgraded', 0, now)
    return '3'
  }
  const bare = {
    post: ({ channelId, replyTo }: NewChatPost) => request(channelId, replyTo),
    edit: (channelId: string, id: string) => request(channelId, id),
  } as unknown as ChatPlatform
  const platform = throughMoves(bare, moves)
  await expect(platform.edit(old, '3', 'text', false)).rejects.toMatchObject({ kind: 'gone' })
  const id = await platform.post({ channelId: old, replyTo: '7' } as NewChatPost)
  await platform.edit(old, id, 'text', false)
  await expect(platform.edit(old, '3', 'text', false)).rejects.toMatchObject({ kind: 'gone' })
  await platform.post({ channelId: old, replyTo: `7@${now}` } as NewChatPost)
  expect([id, requests]).toEqual([
    `3@${now}`,
    [
      [old, '3'],
      [now, undefined],
      [now, '3'],
      [now, '7'],
    ],
  ])
})

test('where messages keep their ids, a thread and its messages go on in the new chat', async () => {
  const { moves } = movesOf(['G0OLD'], [], false)
  expect(moves.move('G0OLD', 'C0NEW')).toBe(true)
  const message = { ...written('T0/C0NEW/1.2'), groupId: 'C0NEW' }
  expect(moves.message(message)).toMatchObject({ channelId: 'T0/G0OLD/1.2', groupId: 'G0OLD', messageId: '7' })
  const requests: unknown[] = []
  const bare = {
    edit: async (...where: string[]) => void requests.push(where.slice(0, 2)),
    threadRoot: async (...where: string[]) => void requests.push(where),
  } as unknown as ChatPlatform
  const platform = throughMoves(bare, moves)
  await platform.edit('T0/G0OLD/1.2', '3', 'text', false)
  await platform.threadRoot!('T0/G0OLD/1.2', '7')
  expect(requests).toEqual([
    ['T0/C0NEW/1.2', '3'],
    ['T0/C0NEW/1.2', '7'],
  ])
})

import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { makeTables } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import { Approvals, type ApprovalsParts } from './approvals.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { ChannelMessages } from './rows/channels.ts'

const [ada, bob] = ['42', '43']

/** Two bots in one group: Ada decides about the first one's questions, Bob about the second one's. */
function twoBots() {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  database.exec('PRAGMA foreign_keys = OFF')
  const store = database as unknown as Store
  const [messages, posts] = [new ChannelMessages(store), new ChannelPosts(database)]
  const channels = new Map([
    ['docs', { name: 'docs', platform: 'telegram', approvers: [ada] }],
    ['money', { name: 'money', platform: 'telegram', approvers: [bob] }],
  ])
  const asked = { chat: 'telegram:-100', senderName: '', messageId: '1', sentAt: 0, text: null, note: null }
  for (const [receivedAt, source] of ['docs', 'money'].entries())
    messages.add({ ...asked, source, sender: ada, updateId: source, receivedAt, state: 'asked', turn: `${source}-1` })
  const insert = database.prepare(
    `INSERT INTO turns (id, session, message, parent_turn, hop, awaited, state, accepted_at)
     VALUES (?, 1, '', ?, 0, 1, 'accepted', 0)`,
  )
  for (const source of ['docs', 'money']) insert.run(`${source}-1`, null)
  insert.run('money-2', 'money-1')
  const answers: object[] = []
  const views = new Map<string, PermissionView>()
  const parts = {
    config: () => ({ channels }),
    clock: new FakeClock(),
    log: { warn: () => {} },
    posts,
    messages,
    random: (length: number) => new Uint8Array(length).fill(views.size),
    work: () => {},
    refused: () => {},
    questions: {
      find: (id: string) => views.get(id),
      answer: (_id: string, answer: object) => ({ status: answers.push(answer) > 0 ? 'answered' : '' }),
    },
  }
  const approvals = new Approvals(parts as unknown as ApprovalsParts)
  const ask = (permissionId: string, turnId: string | null): boolean => {
    const input = { command: 'rm -r /' }
    const view = { permissionId, turnId, chain: ['telegram:-100', 'backend', 'shop'], input, shown: '', inputHash: 'x' }
    const rest = {
      team: 'shop',
      toolName: 'Bash',
      directory: '/',
      risks: [],
      blockedPath: null,
      deadline: 0,
      askedAt: 0,
    }
    views.set(permissionId, { ...view, ...rest } as unknown as PermissionView)
    return approvals.asked(views.get(permissionId)!, 'ask')
  }
  const postOf = (id: string) =>
    database.prepare('SELECT id, source, token FROM channel_posts WHERE permission = ?').get(id) as
      | { id: number; source: string; token: string }
      | undefined
  const click = (id: string, senderId: string): string => {
    const post = postOf(id)!
    posts.set(post.id, 'posted', { platformId: '9' })
    const at = { chatId: '-100', messageId: '9', token: post.token }
    return approvals.click(post.source, { ...at, senderId, decision: 'allow' })
  }
  return { ask, click, postOf, answers, channels, messages }
}

test('a question goes to the bot whose message led to it, and counts by that bot’s approvers alone', () => {
  const { ask, click, postOf, answers } = twoBots()
  ask('of-money', 'money-1')
  ask('below-money', 'money-2')
  ask('of-docs', 'docs-1')
  expect(['of-money', 'below-money', 'of-docs'].map((id) => postOf(id)?.source)).toEqual(['money', 'money', 'docs'])
  for (const id of ['of-money', 'below-money']) expect(click(id, ada)).toContain('you are not an approver')
  expect(click('of-docs', bob)).toContain('you are not an approver')
  expect(answers).toEqual([])
  expect([click('of-money', bob), click('below-money', bob), click('of-docs', ada)]).toEqual(
    Array(3).fill('Allowed, this once.'),
  )
})

test('a question outside of a turn goes to a chat only where one bot alone can have led to it', () => {
  const { ask, messages, postOf } = twoBots()
  expect(ask('of-either', null)).toBe(false)
  messages.answered('docs-1')
  expect(ask('of-one', null)).toBe(true)
  expect(postOf('of-one')?.source).toBe('money')
})

test('who was an approver when the question came, and is none any more, decides nothing', () => {
  const { ask, click, answers, channels } = twoBots()
  ask('of-money', 'money-1')
  channels.set('money', { name: 'money', platform: 'telegram', approvers: [ada] })
  expect(click('of-money', bob)).toContain('you are not an approver')
  channels.set('money', { name: 'money', platform: 'telegram', approvers: [] })
  expect(click('of-money', ada)).toContain('you are not an approver')
  channels.delete('money')
  expect(click('of-money', bob)).toContain('the question is over')
  expect(answers).toEqual([])
})

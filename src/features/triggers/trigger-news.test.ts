import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { newStore } from '../../../test/support/new-store.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { TriggerConfig } from '../../platform/config/config.ts'
import { InboxRows } from '../inbox/rows.ts'
import { TriggerNews, type TriggerNewsParts } from './trigger-news.ts'

const day = 86_400_000

test('an event without a message is in the inbox once a day, at the conversation of its trigger', async () => {
  const clock = new FakeClock()
  const store = newStore()
  const inboxRows = new InboxRows(store)
  const published: IrisEvent[] = []
  const opened: Pair[] = []
  const warned: string[] = []
  const news = new TriggerNews({
    clock,
    inboxRows,
    log: { warn: (said: string) => void warned.push(said) },
    publish: (event: IrisEvent) => void published.push(event),
    sessions: {
      open: (pair: Pair) => {
        if (opened.push(pair) === 1)
          store.exec(
            `INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, origin)
             VALUES (7, 'trigger:hook', 'backend', 'role:chat_bot', 's7', 0, 0, 'new')`,
          )
        return { sessionId: 's7', row: { id: 7 }, ids: { ...pair, sessionId: 's7' } }
      },
    },
  } as unknown as TriggerNewsParts)
  const trigger = { name: 'hook', team: 'backend', role: 'chat_bot', thread: '{{number}}' } as TriggerConfig
  const open = () => inboxRows.open(10).map(({ subject, state }) => [subject, state])

  news.tell(trigger)
  await clock.advance(day - 1)
  news.tell(trigger)
  expect(open()).toEqual([['event:s7', 'new']])
  expect(published).toMatchObject([{ type: 'inbox-changed', from: 'trigger:hook', thread: 'role:chat_bot' }])
  inboxRows.mark('event:s7', 7, 'done', clock.now(), null)
  await clock.advance(day - 1)
  news.tell(trigger)
  expect(open()).toEqual([])
  await clock.advance(1)
  news.tell(trigger)
  expect(open()).toEqual([['event:s7', 'new']])
  expect(published).toHaveLength(2)
  // A fixed thread is its conversation, and a store that fails stops nothing.
  news.tell({ ...trigger, thread: 'alerts' })
  expect(opened.at(-1)).toEqual({ from: 'trigger:hook', to: 'backend', thread: 'role:chat_bot:alerts' })
  store.exec('DROP TABLE inbox')
  expect(() => news.tell(trigger)).not.toThrow()
  expect(warned).toHaveLength(1)
})

import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { newStore } from '../../../test/support/new-store.ts'
import { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import { InboxNews } from './inbox-news.ts'
import { InboxRows } from './rows.ts'

/** A store with conversations 1 (of the owner) and 2 (of a team), and turns `<session>-<number>`. */
function world() {
  const store = newStore()
  const session = store.prepare(
    `INSERT INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at, status)
     VALUES (?, ?, 'backend', 'main', ?, 0, 0, 'active')`,
  )
  session.run(1, 'external', 's1')
  session.run(2, 'frontend', 's2')
  const turn = store.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, accepted_at, settled_at)
     VALUES (?, ?, 'asked', 0, 0, 'settled', 'completed', 'said', 0, 1)`,
  )
  const clock = new FakeClock()
  const events = new Subject<PublishedEvent>()
  const published: string[] = []
  const warnings: string[] = []
  const rows = new InboxRows(store)
  const begin = () =>
    new InboxNews({
      rows,
      clock,
      events,
      log: { warn: (text) => void warnings.push(text) },
      publish: (event: IrisEvent) => void ('sessionId' in event && published.push(event.sessionId)),
      idsOf: (id) => ({ from: '', to: '', thread: '', sessionId: `s${id}` }),
    })
  const settle = (id: string, outcome = 'completed'): void => {
    turn.run(id, Number(id[0]))
    events.next({ type: 'turn-settled', turnId: id, outcome } as PublishedEvent)
  }
  const subjects = () => rows.open(10).map((row) => `${row.subject} ${row.state}`)
  return { store, rows, clock, events, published, warnings, begin, settle, subjects }
}

test('an answer for which nobody waits is news to the owner; one that its caller received is not', async () => {
  const { begin, settle, subjects, published, store } = world()
  const news = begin()
  const leave = news.awaits('1-1')
  settle('1-1')
  leave()
  settle('1-2', 'failed')
  settle('2-1')
  expect(subjects()).toEqual([])
  // A caller that left before the end.
  news.awaits('1-3')()
  settle('1-3')
  expect(subjects()).toEqual(['answer:1-3 new'])
  // A newer one takes the place of an older one in its conversation.
  settle('1-4')
  expect(subjects()).toEqual(['answer:1-4 new'])
  // A person's own session asked as a team, and the answer came late.
  store
    .prepare(
      "INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at) VALUES ('2-9', 2, '', 0, 0, 'accepted', 0)",
    )
    .run()
  await Promise.resolve()
  expect(published).toEqual(['s1', 's1'])
  news.received('1-4')
  news.received('1-4')
  await Promise.resolve()
  expect(subjects()).toEqual([])
  expect(published).toEqual(['s1', 's1', 's1'])
})

test('an answer that came late to the session of a team, and one of a retry, are news', () => {
  const { begin, events, subjects, store } = world()
  begin()
  const turn = store.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, accepted_at)
     VALUES (?, 2, 'asked', 0, 0, 'settled', 'completed', 'said', 0)`,
  )
  const settle = (id: string) =>
    events.next({ type: 'turn-settled', turnId: id, outcome: 'completed' } as PublishedEvent)
  for (const id of ['late', 'retried', 'again']) turn.run(id)
  store.prepare("INSERT INTO late_answers (turn, console, owed_at) VALUES ('late', 'terminal', 1)").run()
  store.prepare("INSERT INTO retries (turn, failed) VALUES ('again', 'retried')").run()
  settle('late')
  expect(subjects()).toEqual(['answer:late new'])
  settle('again')
  expect(subjects()).toEqual(['answer:again new'])
})

test('what was put off comes back at its time, once, also if that passed while Iris did not run', async () => {
  const { begin, rows, clock, published, subjects, settle } = world()
  const news = begin()
  settle('1-1')
  rows.mark('answer:1-1', 1, 'later', 0, 40_000)
  news.look()
  await clock.advance(39_999)
  expect(subjects()).toEqual(['answer:1-1 later'])
  published.length = 0
  await clock.advance(1)
  expect(subjects()).toEqual(['answer:1-1 new'])
  expect(published).toEqual(['s1'])
  expect(clock.pending).toBe(0)

  rows.mark('answer:1-1', 1, 'later', 40_000, 50_000)
  news.close()
  await clock.advance(60_000)
  expect(subjects()).toEqual(['answer:1-1 later'])
  begin()
  expect(subjects()).toEqual(['answer:1-1 new'])
  expect(rows.open(1)[0]).toMatchObject({ since: 50_000, until: null })
})

test('a store that fails keeps nothing back and nothing from ending', () => {
  const { begin, settle, store, warnings } = world()
  begin()
  store.exec('DROP TABLE inbox')
  expect(() => settle('1-1')).not.toThrow()
  expect(warnings).toHaveLength(1)
})

test('what was done long ago is forgotten, and what nobody has read is not', () => {
  const { rows, begin, settle } = world()
  begin()
  const days = (count: number) => count * 86_400_000
  settle('1-1')
  rows.mark('failed:2-1', 2, 'done', days(1), null)
  rows.mark('failed:2-2', 2, 'done', days(20), null)
  rows.pin('conversation:s2', 2, true, 0)
  rows.forget(days(32))
  expect([...rows.of(['answer:1-1', 'failed:2-1', 'failed:2-2', 'conversation:s2']).keys()].toSorted()).toEqual([
    'answer:1-1',
    'conversation:s2',
    'failed:2-2',
  ])
})

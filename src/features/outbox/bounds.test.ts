import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { MemoryReceiver, OutboxWorld, type Posted } from '../../../test/support/outbox-world.ts'
import { list } from './handlers.ts'
import { OutboxRows } from './rows.ts'

const url = 'http://127.0.0.1:9/'

function opened(respond: (post: Posted) => void) {
  const receiver = new MemoryReceiver(respond)
  const world = new OutboxWorld(receiver.attempt)
  world.callback(url)
  world.outbox.begin()
  return { world, posts: receiver.posts }
}

const turns = (posts: readonly Posted[]): string[] => posts.map(({ turnId }) => turnId).toSorted()
const firstTurns = (count: number): string[] => Array.from({ length: count }, (_, at) => `turn-${at + 1}`)

/** A receiver that answers on command. */
function held() {
  const open: Posted[] = []
  const { world, posts } = opened((post) => open.push(post))
  world.converse(6)
  const count = async (wanted: number) => {
    await eventually(() => posts.length === wanted, `${wanted} posts`)
    await world.clock.advance(0)
    expect(posts.length).toBe(wanted)
  }
  return { world, posts, open, count }
}

test('four posts run at once for one callback, and the next begins when one of them ends', async () => {
  const { world, posts, open, count } = held()
  for (let session = 1; session <= 8; session++) world.ends(session)
  await count(4)
  for (let wanted = 5; wanted <= 8; wanted++) {
    open.shift()!.answer(204)
    await count(wanted)
  }
  for (const { answer } of open) answer(204)
  await eventually(() => world.row().waiting === 0, 'all are taken')
  expect(turns(posts)).toEqual(firstTurns(8))
})

test('eight posts run at once in all, and each callback has its turn', async () => {
  const { world, posts, open, count } = held()
  const names = ['ci', 'b', 'c']
  for (const name of names.slice(1)) world.callback(url, { name })
  for (const callback of names) for (let session = 1; session < 7; session++) world.ends(session, { callback })
  await count(8)
  await eventually(() => {
    open.shift()?.answer(204)
    return posts.length === 18 && open.length === 0
  }, 'all are posted')
  for (const name of names) await eventually(() => world.row(name).waiting === 0, `${name} is empty`)
})

test('an event that hangs each time delays its own conversation by one try, and no other at all', async () => {
  const { world, posts } = opened(({ turnId, answer }) => turnId !== 'turn-1' && answer(204))
  world.ends(1)
  world.ends(2)
  for (let count = 0; count < 3; count++) world.ends(1)
  await eventually(() => posts.length === 2, 'the other conversation')
  await world.clock.advance(29_999)
  expect(turns(posts)).toEqual(['turn-1', 'turn-2'])
  await world.clock.advance(1)
  await eventually(() => world.row().waiting === 1, 'all others are taken')
  expect(world.clock.now()).toBe(30_000)
  // It delays nobody while it is tried again.
  await world.pass(5000, () => posts.filter(({ turnId }) => turnId === 'turn-1').length === 2, 'its second try')
  const began = world.clock.now()
  for (let count = 0; count < 3; count++) world.ends(1)
  await eventually(() => world.row().waiting === 1, 'what came later is taken')
  expect(world.clock.now()).toBe(began)
})

test('10 000 events that were not taken are kept: those that were given up go first, then the oldest; the owner sees how many', async () => {
  const { world } = opened(({ answer }) => answer(500))
  // Numbers below those of the journal, so that the two oldest are among them; three have been given up, in the middle.
  world.store.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
     INSERT INTO callback_deliveries (callback, sequence, at, type, turn, question, tries, failed_at, next_at, problem)
       SELECT 'ci', i - 20000, 0, 'turn-settled', 'old-' || i, NULL, 1, 0, iif(i BETWEEN 5000 AND 5002, NULL, 9e7), 'x' FROM n`,
  )
  const rows = new OutboxRows(world.store)
  const has = (number: number) => rows.has('ci', number - 20_000)
  const kept = () => {
    const { waiting, failed } = rows.count('ci')
    return waiting + failed
  }
  world.ends(1)
  await eventually(() => kept() === 10_000, 'one more is kept')
  for (const gone of [5000, 5001, 5002, 1, 2]) {
    expect(has(gone)).toBe(true)
    world.ends(1)
    await world.pass(5000, () => !has(gone), `${gone} makes room`)
    expect(kept()).toBe(10_000)
  }
  expect(has(3)).toBe(true)
  expect(world.row()).toMatchObject({ failed: 0, waiting: 10_000, dropped: 5 })
  expect(list({ outbox: world.outbox, journal: undefined as never }).callbacks).toMatchObject([{ dropped: 5 }])
  const counted = world.outbox.families.flatMap(({ samples }) => samples)
  expect(counted).toContainEqual({ labels: { callback: 'ci', result: 'given_up' }, value: 5 })
})

test('killed before any of its writes, a daemon posts every event after its next start, in order and under one id', async () => {
  let write = 0
  for (let isOver = false; !isOver; ) {
    write += 1
    let isPoisoned = true
    const { world, posts } = opened(({ turnId, answer }) => answer(isPoisoned && turnId === 'turn-2' ? 500 : 204))
    world.dieBefore(write)
    for (let count = 0; count < 4; count++) world.ends(1 + (count % 2))
    await world.pass(5000, () => world.isDead || posts.length >= 6, 'the kill')
    isOver = !world.isDead
    isPoisoned = false
    world.restart()
    const received = () => new Map(posts.map(({ id, turnId }) => [id, turnId]))
    const isDone = () => new Set(received().values()).size === 4 && world.row().waiting === 0
    await world.pass(5000, isDone, `all are taken after the kill at ${write}`)
    expect([...received().values()].toSorted()).toEqual(firstTurns(4))
  }
  expect(write).toBeGreaterThan(6)
})

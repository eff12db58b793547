import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { fillStore } from '../../../test/support/many-turns.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { Search } from './search.ts'

const threads: Worker[] = []
const started = (message: unknown): void => void threads.push((message as { worker: Worker }).worker)

beforeEach(() => {
  threads.length = 0
  subscribe('worker_threads', started)
})
afterEach(() => void unsubscribe('worker_threads', started))

const anywhere = { participants: [], from: undefined, to: undefined, thread: undefined, since: undefined }
const anything = { text: 'filler', filter: anywhere, limit: 10, before: undefined }

test('its thread ends with its work, and a minute later if somebody searched', async () => {
  using scratch = scratchDirectory()
  const store = join(scratch.path, 'store.db')
  openDatabase(store).close()
  fillStore(store, { turns: 150 })
  const clock = new FakeClock()
  const search = new Search({ store, index: join(scratch.path, 'search.db') }, clock)
  expect(threads).toHaveLength(0)
  search.takeIn()
  await once(threads[0]!, 'exit')
  expect((await search.find(anything)).hits).toHaveLength(10)
  await clock.advance(59_999)
  expect((await search.find(anything)).hits).toHaveLength(10)
  search.takeIn()
  await once(threads[1]!, 'message')
  await clock.advance(59_999)
  expect(threads).toHaveLength(2)
  const ended = once(threads[1]!, 'exit')
  await clock.advance(1)
  await ended
  expect((await search.find(anything)).hits).toHaveLength(10)
  expect(threads).toHaveLength(3)
  await search.close()
})

test('a search that takes too long is ended, and one that waited behind it is answered', async () => {
  using scratch = scratchDirectory()
  const store = join(scratch.path, 'store.db')
  openDatabase(store).close()
  fillStore(store, { turns: 150 })
  const clock = new FakeClock()
  const search = new Search({ store, index: join(scratch.path, 'search.db') }, clock)
  // No thread starts as quickly as this clock moves.
  const late = search.find(anything)
  late.catch(() => {})
  await clock.advance(5000)
  const waiting = search.find(anything)
  await clock.advance(10_000)
  await expect(late).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('15 s') })
  expect((await waiting).hits).toHaveLength(10)
  expect(threads).toHaveLength(2)
  await search.close()
})

test('no thread is started where there is nothing to index', async () => {
  using scratch = scratchDirectory()
  const store = join(scratch.path, 'store.db')
  openDatabase(store).close()
  const search = new Search({ store, index: join(scratch.path, 'search.db') }, new FakeClock())
  search.takeIn()
  expect(threads).toHaveLength(0)
  fillStore(store, { turns: 150 })
  search.takeIn()
  await once(threads[0]!, 'exit')
  search.takeIn()
  expect(threads).toHaveLength(1)
  expect((await search.find(anything)).hits).toHaveLength(10)
  await search.close()
})

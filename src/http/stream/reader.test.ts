import { Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { PublishedEvent } from '../../protocol/event.ts'
import { EventLog } from './event-log.ts'
import { type Frame, type LiveTurn, read } from './reader.ts'

const pair = { from: 'external', to: 'backend', thread: 'main', sessionId: 's' }

class Stage {
  readonly clock = new FakeClock()
  readonly events$ = new Subject<PublishedEvent>()
  readonly log: EventLog
  readonly gone = new AbortController()
  live: LiveTurn[] = []
  snapshots = 0
  #sequence = 0

  constructor(limits?: { readonly events: number; readonly lineBytes: number }) {
    this.log = new EventLog(this.events$, limits && { limits })
  }

  accepted(turnId: string): void {
    this.#publish({ type: 'turn-accepted', turnId, parentTurnId: null, ...pair })
  }

  says(turnId: string, text: string): void {
    this.live = [{ turnId, ...pair, text }]
    this.#publish({ type: 'turn-message', turnId, message: { type: 'stream_event' }, ...pair })
  }

  open(after?: string, signal = this.gone.signal): AsyncGenerator<Frame, void> {
    const parts = {
      log: this.log,
      clock: this.clock,
      epoch: 'e',
      snapshot: async () => ({ snapshot: ++this.snapshots }),
      maySee: () => true,
      liveTurns: () => this.live,
    }
    return read(parts, {}, after, signal)
  }

  #publish(event: Record<string, unknown>): void {
    this.#sequence += 1
    this.events$.next({ ...event, sequence: this.#sequence, at: 0 } as unknown as PublishedEvent)
  }
}

async function take(frames: AsyncGenerator<Frame, void>, count: number): Promise<Frame[]> {
  const taken: Frame[] = []
  for (let each = 0; each < count; each += 1) taken.push((await frames.next()).value as Frame)
  return taken
}

test('text that grows is told ten times a second at most, and only what is new of it', async () => {
  const stage = new Stage()
  const frames = stage.open()
  await take(frames, 1)
  stage.says('t', 'one')
  const first = frames.next()
  await stage.clock.advance(100)
  expect(JSON.parse((await first).value!.json)).toMatchObject({ turnId: 't', at: 0, text: 'one' })
  for (const more of [' two', ' three']) stage.says('t', `${stage.live[0]!.text}${more}`)
  const second = frames.next()
  await stage.clock.advance(99)
  stage.says('t', 'one two three four')
  await stage.clock.advance(1)
  expect(JSON.parse((await second).value!.json)).toMatchObject({ at: 3, text: ' two three four' })
  stage.gone.abort()
})

test('a reader that does not drain is told anew how things stand, and nobody waits for it', async () => {
  const stage = new Stage({ events: 10, lineBytes: 1000 })
  const frames = stage.open()
  await take(frames, 1)
  for (let turn = 1; turn <= 30; turn += 1) stage.accepted(`t${turn}`)
  expect(await take(frames, 1)).toMatchObject([{ type: 'snapshot', id: 'e-30' }])
  stage.accepted('t31')
  expect(await take(frames, 1)).toMatchObject([{ type: 'turn-accepted', id: 'e-31' }])
  stage.gone.abort()
})

test('what was missed comes first when a reader comes back', async () => {
  const stage = new Stage()
  for (const turn of ['t1', 't2', 't3']) stage.accepted(turn)
  const frames = stage.open('e-1')
  expect((await take(frames, 2)).map(({ id }) => id)).toEqual(['e-2', 'e-3'])
  expect(stage.snapshots).toBe(0)
  stage.gone.abort()
})

test('a silent stream shows that it is still there', async () => {
  const stage = new Stage()
  const frames = stage.open()
  await take(frames, 1)
  const beat = frames.next()
  await stage.clock.advance(15_000)
  expect((await beat).value).toMatchObject({ type: 'beat' })
  stage.gone.abort()
})

test('a reader that has gone is no longer counted', async () => {
  const stage = new Stage()
  const frames = stage.open()
  await take(frames, 1)
  stage.gone.abort()
  expect((await frames.next()).done).toBe(true)
  // Lines of conversations are kept for readers only: who comes back across one is told how things stand.
  stage.says('t', 'one')
  stage.events$.next({ type: 'turn-message', turnId: 't', message: { type: 'assistant' }, ...pair, sequence: 2, at: 0 })
  const again = stage.open('e-1', new AbortController().signal)
  expect(await take(again, 1)).toMatchObject([{ type: 'snapshot' }])
  await again.return()
})

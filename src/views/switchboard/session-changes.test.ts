import { Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { SwitchboardSession } from '../../base/protocol/session-view.ts'
import { SessionChanges } from './session-changes.ts'

class Stage {
  readonly clock = new FakeClock()
  readonly events = new Subject<PublishedEvent>()
  readonly told: string[] = []
  readonly changes: SessionChanges

  constructor() {
    const publish = (event: IrisEvent): void => {
      if (event.type === 'session-changed') this.told.push(event.sessionId)
      this.#next(event)
    }
    const view = (ids: readonly string[]) => {
      const sessions = ids.map((sessionId) => ({ ...pair, sessionId }) as unknown as SwitchboardSession)
      return { sessions, pool: { activeProcesses: 0, maxProcesses: 10 } }
    }
    this.changes = new SessionChanges(this.events, { clock: this.clock, publish, view })
  }

  happens(type: 'turn-accepted' | 'turn-message', sessionId: string): void {
    this.#next({ type, ...pair, sessionId, turnId: 't', parentTurnId: null, ahead: 0, message: {} })
  }

  #next(event: IrisEvent): void {
    this.events.next({ ...event, sequence: 0, at: 0 })
  }
}

const pair = { from: 'frontend', to: 'backend', thread: 'main' }

test('each session that something happened to is told of four times a second at most', async () => {
  const stage = new Stage()
  for (let passed = 0; passed < 1000; passed += 50) {
    stage.happens('turn-accepted', 'a')
    if (passed === 0) stage.happens('turn-accepted', 'b')
    await stage.clock.advance(50)
  }
  expect(stage.told.filter((id) => id === 'a')).toHaveLength(4)
  expect(stage.told.filter((id) => id === 'b')).toHaveLength(1)
})

test('a telling is no change itself, and nor is a line', async () => {
  const stage = new Stage()
  stage.happens('turn-accepted', 'a')
  await stage.clock.advance(250)
  stage.happens('turn-message', 'a')
  await stage.clock.advance(10_000)
  expect(stage.told).toEqual(['a'])
})

test('a question about a tool is told of with its session', async () => {
  const stage = new Stage()
  stage.events.next({ type: 'permission:request', permission: { sessionId: 'a' }, sequence: 0, at: 0 } as never)
  await stage.clock.advance(250)
  expect(stage.told).toEqual(['a'])
})

test('after the end nothing is told', async () => {
  const stage = new Stage()
  stage.happens('turn-accepted', 'a')
  stage.changes.close()
  await stage.clock.advance(1000)
  expect(stage.told).toEqual([])
})

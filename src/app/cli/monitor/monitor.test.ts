import { expect, test } from 'vitest'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { Action } from './keys.ts'
import { Monitor } from './monitor.ts'
import type { Frame } from './state.ts'

const ids = { from: 'frontend', to: 'backend', thread: 'main', sessionId: 's', turnId: 't' }
const text = (at: number, said: string): Frame => ({ type: 'turn-text', at, text: said, ...ids })

function watched() {
  const clock = new FakeClock()
  const monitor = new Monitor(clock, () => {})
  let drawn = 0
  monitor.subscribe(() => (drawn += 1))
  return { clock, monitor, drawings: () => drawn, said: () => monitor.shown.seen.works.get('s')?.text }
}

test('however fast events come, it is drawn ten times a second at most, and at the end as it stands', async () => {
  const { clock, monitor, drawings, said } = watched()
  for (let at = 0; at < 1000; at += 1) {
    monitor.take(text(at, 'x'))
    await clock.advance(1)
  }
  // Once for the first event, then ten times in the second.
  expect(drawings()).toBe(11)
  await clock.advance(900)
  expect(drawings()).toBe(11)
  expect(said()).toHaveLength(1000)
})

test('what changes nothing draws nothing, and without changes it is drawn once a minute', async () => {
  const { clock, monitor, drawings } = watched()
  monitor.take({ type: 'log', entries: [] })
  const before = drawings()
  monitor.take({ type: 'breaker-closed', teamName: 'backend', sequence: 1, at: 0, ...ids })
  await clock.advance(59_000)
  expect(drawings() - before).toBe(0)
  await clock.advance(2000)
  expect(drawings() - before).toBe(1)
})

test('a question that comes where none waits rings, the next one and one that was there before do not', () => {
  const actions: Action[] = []
  const monitor = new Monitor(new FakeClock(), (action) => actions.push(action))
  const permission = (permissionId: string) => ({ permissionId, state: 'pending', askedAt: 0 }) as PermissionView
  const asks = (permissionId: string) =>
    monitor.take({ type: 'permission:request', permission: permission(permissionId), sequence: 1, at: 0 })
  asks('one')
  asks('two')
  expect(actions).toEqual([{ kind: 'ring' }])
  monitor.take({ type: 'questions', questions: [] })
  expect(actions).toHaveLength(1)
  asks('three')
  expect(actions).toHaveLength(2)
})

test('while seconds are shown they go on', async () => {
  const { clock, monitor, drawings } = watched()
  monitor.take({ type: 'connection', connection: 'lost', at: 0 })
  await clock.advance(5000)
  expect(drawings()).toBe(6)
  expect(monitor.shown.now).toBe(5000)
})

test('who has left is told nothing any more, and no timer stays', () => {
  const { clock, monitor, drawings } = watched()
  monitor.take(text(0, 'x'))
  monitor.end()
  expect([drawings(), clock.pending]).toEqual([1, 0])
})

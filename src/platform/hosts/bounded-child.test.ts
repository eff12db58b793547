import { BehaviorSubject, EMPTY, firstValueFrom, of } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { Exit } from '../../base/lib/program-end.ts'
import { BoundedChild } from './bounded-child.ts'
import type { Link, RemoteChild } from './host.ts'

const graceMs = 60_000
const gone = { code: null, signal: 'SIGKILL' }

function started() {
  const clock = new FakeClock()
  const link$ = new BehaviorSubject<Link>({ kind: 'connected', since: 0 })
  const exited = deferred<Exit>()
  let isLetGo = false
  const child: RemoteChild = {
    run: 'run',
    pid: 7,
    status$: of('running'),
    errors$: EMPTY,
    exited: exited.promise,
    link$,
    get link() {
      return link$.value
    },
    read: () => {},
    message: undefined,
    caughtUp: Promise.resolve(),
    stderr: () => '',
    write: () => Promise.resolve(),
    stop: () => exited.promise,
    detach: async () => {
      isLetGo = true
    },
  }
  const bounded = new BoundedChild(child, 'inanna', graceMs, clock)
  const lose = (): void => link$.next({ kind: 'lost', since: 0, why: 'cut', attempts: 0 })
  const restore = (): void => link$.next({ kind: 'connected', since: 0 })
  return { clock, bounded, exited, lose, restore, isLetGo: () => isLetGo }
}

test('a program whose machine does not come back within its grace is gone', async () => {
  const { clock, bounded, lose, isLetGo } = started()
  lose()
  expect(await firstValueFrom(bounded.cutOff$)).toEqual({ host: 'inanna', since: 0, why: 'cut' })
  await clock.advance(graceMs - 1)
  expect(isLetGo()).toBe(false)
  await clock.advance(1)
  expect(await bounded.exited).toEqual(gone)
  expect(bounded.stderr()).toContain('cannot be reached')
  expect(isLetGo()).toBe(true)
})

test('the grace starts over with each lost connection', async () => {
  const { clock, bounded, exited, lose, restore, isLetGo } = started()
  lose()
  await clock.advance(graceMs - 1)
  restore()
  expect(await firstValueFrom(bounded.cutOff$)).toBeUndefined()
  await clock.advance(graceMs)
  lose()
  await clock.advance(graceMs - 1)
  expect(isLetGo()).toBe(false)
  exited.resolve({ code: 0, signal: null })
  expect(await bounded.exited).toEqual({ code: 0, signal: null })
})

test('who ends it waits ten seconds for a machine that is cut off, and for any other until it has ended', async () => {
  const { clock, bounded, lose, isLetGo } = started()
  const stopped = bounded.stop('busy')
  await clock.advance(10_000)
  expect(isLetGo()).toBe(false)
  lose()
  const again = bounded.stop('now')
  await clock.advance(10_000)
  expect(await Promise.all([stopped, again])).toEqual([gone, gone])
})

import { expect, test } from 'vitest'
import { fill, openSeams, type Seams } from '../../src/kernel/session/seams.ts'
import { EchoWorld } from './echo-world.ts'

/** A feature whose methods of that name throw, in a seam of the kernel; the others do what holds without a feature. */
const fails = () => {
  throw new TypeError('a fault of the feature')
}

interface Noted {
  readonly what: string
  readonly error: unknown
}

function failing(seam: keyof Seams, method: string, noted: Noted[]) {
  return (seams: Seams): void => {
    const part = { ...openSeams()[seam], [method]: fails }
    fill(seams, 'broken', { [seam]: part }, (what, error) => noted.push({ what, error }))
  }
}

const onlyLook: readonly (readonly [seam: keyof Seams, method: string])[] = [
  ['accounts', 'saw'],
  ['accounts', 'judged'],
  ['budgets', 'opened'],
  ['budgets', 'saw'],
  ['budgets', 'settled'],
]

test.each(onlyLook)('what %s.%s throws is noted, and the message is answered', async (seam, method) => {
  const noted: Noted[] = []
  using world = await EchoWorld.open({}, failing(seam, method, noted))
  const id = world.ask('hello')
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(noted.length).toBeGreaterThan(0)
  expect(noted[0]).toMatchObject({ what: method, error: expect.any(TypeError) })
})

test('a feature that throws while turns are taken up loses no end', async () => {
  const noted: Noted[] = []
  using world = await EchoWorld.open({}, failing('budgets', 'takenUp', noted))
  world.crashAt('written')
  const id = world.ask('hello')
  await world.crashed()
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(noted).toMatchObject([{ what: 'takenUp' }])
})

const atAcceptance: readonly (readonly [seam: keyof Seams, method: string])[] = [
  ['accounts', 'refuse'],
  ['budgets', 'admit'],
  ['files', 'admitted'],
  ['files', 'keep'],
  ['otherHosts', 'isThere'],
]

test.each(atAcceptance)('what %s.%s throws refuses the message, and nothing of it is kept', async (seam, method) => {
  using world = await EchoWorld.open({}, failing(seam, method, []))
  expect(() => world.ask('hello')).toThrow('a fault of the feature')
  expect(world.kernel.ledger.unsettled()).toEqual([])
  expect(world.kernel.orchestrator.idByKey('key')).toBeUndefined()
})

const atDelivery: readonly (readonly [seam: keyof Seams, method: string])[] = [
  ['accounts', 'passed'],
  ['holders', 'holderOf'],
  ['holders', 'unlessHeld'],
  ['context', 'of'],
]

test.each(atDelivery)('what %s.%s throws fails the message, and its end is kept', async (seam, method) => {
  using world = await EchoWorld.open({}, failing(seam, method, []))
  const id = world.ask('hello')
  expect(await world.ended(id)).toMatchObject({ outcome: 'failed' })
  expect(world.kernel.ledger.turn(id)).toMatchObject({ state: 'settled', outcome: 'failed' })
})

test('two features cannot fill one seam', () => {
  const seams = openSeams()
  const { accounts } = openSeams()
  fill(seams, 'one', { accounts: { ...accounts } }, () => {})
  expect(() => fill(seams, 'two', { accounts: { ...accounts } }, () => {})).toThrow('another feature has filled')
})

test('what a look throws is noted, and the look finds nothing', () => {
  const noted: Noted[] = []
  const seams = openSeams()
  const broken = {
    questions: { ofTurn: fails, ofSession: fails },
    accounts: { ...seams.accounts, of: fails },
    otherHosts: { ...seams.otherHosts, limitOf: fails },
    usualTimes: { inForce: fails },
  }
  fill(seams, 'broken', broken, (what, error) => noted.push({ what, error }))
  const { questions, accounts, otherHosts, usualTimes } = seams
  const found = [questions.ofTurn('t'), questions.ofSession(1), accounts.of('backend', 't')]
  expect([...found, otherHosts.limitOf('backend'), usualTimes.inForce()]).toEqual(Array(5).fill(undefined))
  expect(noted.map(({ what }) => what)).toEqual(['ofTurn', 'ofSession', 'of', 'limitOf', 'inForce'])
  expect(otherHosts.shared).toBe(broken.otherHosts.shared)
})

test('a message that is refused after its conversation was made leaves no conversation', async () => {
  let refuses = true
  const files = { ...openSeams().files, admitted: () => (refuses ? fails() : null) }
  using world = await EchoWorld.open({}, (seams) => fill(seams, 'files', { files }, fails))
  const live = () => world.kernel.sessions.openLive({ from: 'a', to: 'b', thread: 'main' })
  expect(() => world.ask('hello')).toThrow('a fault of the feature')
  expect([...world.kernel.sessions.all()]).toEqual([])
  expect(live()).toBeUndefined()
  expect(world.kernel.events.map(({ type }) => type)).toEqual(['session-created', 'session-archived'])
  refuses = false
  expect(await world.ended(world.ask('hello'))).toMatchObject({ answer: 'hello' })
  // A conversation that was there stays.
  refuses = true
  expect(() => world.ask('again')).toThrow('a fault of the feature')
  expect(live()).toBeDefined()
})

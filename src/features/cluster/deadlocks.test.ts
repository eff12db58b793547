import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Deadlocks } from './deadlocks.ts'
import type { Letter } from './ports.ts'

const turn = '00000000-0000-4000-8000-000000000001'
const start = { host: 'laptop', turn }
const node = { needsProcess: false, holdsProcess: false, isCarried: true, label: 'a → b' }
const from = { ...node, id: `laptop/${turn}`, host: 'laptop', awaits: [`studio/${turn}`] }

let sent: (Pick<Letter, 'turn'> & { to: string })[]
let rings: Deadlocks
let hasWay: boolean
beforeEach(() => {
  ;[sent, hasWay] = [[], true]
  rings = new Deadlocks({
    clock: new FakeClock(),
    newId: () => 'id',
    self: () => 'studio',
    mayKnow: () => true,
    refuse: () => {},
    waits: () => ({ turns: new Map(), hasRoom: true }),
    carrierOf: () => undefined,
    carried: () => [],
    send: async (to: string, letter: Letter) => {
      if (!hasWay) throw new Error('no stream')
      sent.push({ to, turn: letter.turn })
    },
  })
})
const receive = (changes: object) =>
  rings.receive(JSON.stringify({ start, round: 1, open: [{ host: 'studio', turn }], nodes: [from], ...changes }))

test('a search goes on to the host that began it', async () => {
  await receive({})
  expect(sent).toEqual([{ to: 'laptop', turn }])
})

const command = 'x 0\r\n\r\nPUB $KV.iris_hosts.studio 0\r\n\r\n'
test.each([
  ['turn', { start: { host: 'laptop', turn: command } }],
  ['turn of another letter', { start: { host: 'laptop', turn: `${turn}\nask\n{}` } }],
  ['first host', { start: { host: command, turn } }],
  ['next host', { open: [{ host: `tower.studio.${turn}.ask ${command}`, turn }] }],
  ['label', { nodes: [{ ...from, label: '\u001b[2J' }] }],
])('a search whose %s would be more than a name is not passed on', async (_what, changes) => {
  await receive(changes)
  expect(sent).toEqual([])
})

test('a search for a host without a mailbox does not come again', async () => {
  hasWay = false
  await expect(receive({ open: [{ host: 'nobody', turn }] })).resolves.toBeUndefined()
})

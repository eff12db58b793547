import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'

const dayMs = 86_400_000

test('old demos and probes go, and none that is young or whose daemon lives', () => {
  using scratch = scratchDirectory()
  const now = 100 * dayMs
  const ages = { 'iris-demo-old': 11, 'iris-demo-new': 9, 'iris-demo-used': 11, 'iris-demo-dead': 11 }
  const others = {
    'iris-cluster-demo-old': 11,
    'iris-probe-old': 11,
    'iris-isolation-old': 1,
    'iris-ssh-old': 11,
    irisdemo: 11,
  }
  for (const [name, days] of Object.entries({ ...ages, ...others })) {
    const path = join(scratch.path, name)
    mkdirSync(join(path, 'iris'), { recursive: true })
    const daemon = {
      port: 1,
      pid: name === 'iris-demo-used' ? process.pid : 2 ** 22 + 1,
      startedAt: 0,
      version: '1.0.0',
    }
    if (/used|dead/.test(name)) writeFileSync(join(path, 'iris/daemon.json'), JSON.stringify(daemon))
    const at = (now - days * dayMs) / 1000
    utimesSync(path, at, at)
  }
  sweepLeftovers(scratch.path, now)
  expect(readdirSync(scratch.path).toSorted()).toEqual(['iris-demo-new', 'iris-demo-used', 'iris-ssh-old', 'irisdemo'])
})

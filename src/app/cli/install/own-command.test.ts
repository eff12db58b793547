import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { ownCommand } from './own-command.ts'

const scratch = scratchDirectory()
afterAll(() => scratch[Symbol.dispose]())
const at = (path: string): string => join(scratch.path, path)

function program(path: string): string {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), '#!/bin/sh\n')
  chmodSync(at(path), 0o755)
  return at(path)
}

test('a checkout is started by its launcher, wherever else an iris is in PATH', () => {
  const launcher = program('checkout/iris')
  const other = dirname(program('other/iris'))
  expect(ownCommand({ PATH: other }, at('checkout/src/main.ts'))).toEqual([launcher])
})

test('an installed Iris is started by the iris in PATH that leads to it, so that an update is met there', () => {
  const main = program('lib/node_modules/iris-switchboard/dist/main.js')
  const other = dirname(program('other/iris'))
  mkdirSync(at('bin'))
  symlinkSync(main, at('bin/iris'))
  expect(ownCommand({ PATH: `${other}:${at('bin')}` }, main)).toEqual([at('bin/iris')])
  expect(ownCommand({ PATH: other }, main)).toEqual([process.execPath, main])
})

test.each(['.npm/_npx/1a2b', 'cache/dlx/3c', 'tmp/dlx-44'])(
  'what lies in %s is gone tomorrow, and refused',
  (cache) => {
    const main = program(`${cache}/node_modules/iris-switchboard/dist/main.js`)
    const bin = at(`${cache}/node_modules/.bin`)
    mkdirSync(bin)
    symlinkSync(main, join(bin, 'iris'))
    expect(() => ownCommand({ PATH: bin }, main)).toThrow('in a cache')
  },
)

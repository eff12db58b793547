import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { full } from '../../../test/support/mounted.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { soleStarter } from './sole-starter.ts'

const now = Date.now()

test('one of two starts the daemon, and the other one may when the first has given up', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'data/starting')
  const letGo = soleStarter(path, now)
  expect(letGo).toBeDefined()
  expect(soleStarter(path, now)).toBeUndefined()
  letGo?.()
  expect(existsSync(path)).toBe(false)
  expect(soleStarter(path, now)).toBeDefined()
})

test('who was killed meanwhile, or holds it for too long, holds up nobody', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'starting')
  writeFileSync(path, String(spawnSync('true').pid))
  const letGo = soleStarter(path, now)
  expect(letGo).toBeDefined()
  utimesSync(path, new Date(now), new Date(now - 31_000))
  const second = soleStarter(path, now)
  expect(second).toBeDefined()
  // A place that another process has taken over stays with it.
  writeFileSync(path, '1')
  letGo?.()
  expect(existsSync(path)).toBe(true)
})

test('where nothing can be written the start goes on, and the daemon tells why it fails', () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'data')
  writeFileSync(file, '')
  expect(soleStarter(join(file, 'starting'), now)).toBeDefined()
  const taken = join(scratch.path, 'taken')
  mkdirSync(taken)
  expect(soleStarter(taken, now)).toBeDefined()
})

test('on a full disk no place is left taken, for which the next command would wait', () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  mkdirSync(home)
  const script = `
    const { soleStarter } = await import(process.argv[1])
    const starts = () => soleStarter(process.argv[2], Date.now()) !== undefined
    console.log(JSON.stringify([starts(), starts()]))`
  const words = ['--input-type=module', '--eval', script, new URL('sole-starter.ts', import.meta.url).href]
  const [program, ...args] = [...full(home), process.execPath, ...words, join(home, 'starting')]
  expect(spawnSync(program, args, { encoding: 'utf8' })).toMatchObject({ stdout: '[true,true]\n', stderr: '' })
})

import { cpSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { processStart } from '../../base/lib/process-start.ts'
import { directoryMark, homeMark } from '../../platform/config/home-mark.ts'
import { knownDaemon } from './find-daemon.ts'

test('the file of a daemon that was killed stands for no other process that has its pid', () => {
  using home = scratchDirectory()
  const start = processStart(process.pid)
  const found = (file: object) => {
    const daemon = { port: 1, pid: process.pid, startedAt: 0, version: '1.0.0', ...file }
    writeFileSync(join(home.path, 'daemon.json'), JSON.stringify(daemon))
    return knownDaemon(home.path)?.pid
  }
  writeFileSync(join(home.path, 'token'), 'secret')
  expect(found({ processStart: start })).toBe(process.pid)
  expect(found({ processStart: start!.replace(/\d+$/, '1') })).toBeUndefined()
  expect(found({ processStart: start!.replace(/^./, '_') })).toBeUndefined()
  // As an older Iris writes it, or one without /proc.
  expect(found({})).toBe(process.pid)
  // It can be stopped without the token of programs.
  rmSync(join(home.path, 'token'))
  expect(found({})).toBe(process.pid)
})

test('the file in a copy of a home stands for no daemon, and that of a home that is moved does', () => {
  using scratch = scratchDirectory()
  const [home, copy, moved] = ['home', 'copy', 'moved'].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(join(home, 'data'), { recursive: true })
  for (const name of ['token', 'data/lock.db']) writeFileSync(join(home, name), 'x')
  const lock = join(home, 'data/lock.db')
  const marks = { home: homeMark(lock), homeDirectory: directoryMark(lock) }
  const daemon = { port: 1, pid: process.pid, startedAt: 0, version: '1.0.0', ...marks }
  writeFileSync(join(home, 'daemon.json'), JSON.stringify(daemon))
  cpSync(home, copy, { recursive: true, preserveTimestamps: true })
  expect([home, copy].map((each) => knownDaemon(each)?.pid)).toEqual([process.pid, undefined])
  rmSync(join(copy, 'data/lock.db'))
  linkSync(lock, join(copy, 'data/lock.db'))
  expect([home, copy].map((each) => knownDaemon(each)?.pid)).toEqual([process.pid, undefined])
  renameSync(home, moved)
  expect(knownDaemon(moved)?.pid).toBe(process.pid)
})

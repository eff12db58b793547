import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ConnectionDirectory } from './connection-directory.ts'

test('what a killed daemon left of its connections is removed, and nobody else’s', () => {
  const dead = mkdtempSync(join(tmpdir(), 'iris-ssh-'))
  writeFileSync(join(dead, 'owner'), '99999999 1')
  const unknown = mkdtempSync(join(tmpdir(), 'iris-ssh-'))
  const living = new ConnectionDirectory()
  const socket = living.socketFor('inanna')

  new ConnectionDirectory().sweep()

  expect([dead, unknown, dirname(socket)].map((path) => existsSync(path))).toEqual([false, true, true])
  living.remove()
  rmSync(unknown, { recursive: true })
  expect(existsSync(dirname(socket))).toBe(false)
})

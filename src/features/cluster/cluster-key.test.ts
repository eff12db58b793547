import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { believeInvited } from './cluster-key.ts'

test('the keys of an invitation are believed once: later a person may decide otherwise', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'invited.json')
  writeFileSync(path, JSON.stringify([{ name: 'studio', key: 'a', signs: true }]))
  const pinned: unknown[] = []
  const hosts = { pin: (...host: unknown[]) => void pinned.push(host) }
  for (let start = 0; start < 2; start++) await believeInvited(path, hosts)
  expect([pinned, existsSync(path)]).toEqual([[['studio', 'a', true]], false])
})

test('keys that cannot be kept stay for the next start', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'invited.json')
  writeFileSync(path, JSON.stringify([{ name: 'studio', key: 'a', signs: true }]))
  const pin = (): void => {
    throw new Error('the disk is full')
  }
  await expect(believeInvited(path, { pin })).rejects.toThrow('full')
  expect(existsSync(path)).toBe(true)
})

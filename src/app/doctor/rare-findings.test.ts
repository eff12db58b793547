import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { manyKept } from '../../base/protocol/attachment.ts'
import { managedFiles } from '../../claude/driver/managed-settings.ts'
import { homePaths } from '../../platform/config/home.ts'
import { writeHomeRecord } from '../../platform/config/home-record.ts'
import { checkContextOf } from './check-context.ts'
import { cleanUp } from './clean-up.ts'
import { copy } from './copy.ts'
import { proc } from './proc.ts'
import { disk, openFiles } from './resources.ts'
import { attachedFiles } from './store.ts'

const megabyte = 1024 * 1024

test.each([
  [511 * megabyte, 'fail', 'only 535.8 MB are free on the disk of '],
  [512 * megabyte, 'ok', '536.9 MB are free on the disk of '],
  [undefined, 'ok', 'the system does not report the free space on the disk of '],
])('with %s bytes free the disk is said to be so', async (freeBytes, state, detail) => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'not', 'there')
  const seen: string[] = []
  const findings = await disk({ home }, async (path) => {
    seen.push(path)
    return freeBytes === undefined ? undefined : { freeBytes, totalBytes: 1e12 }
  })
  expect(findings).toMatchObject([{ check: 'disk', state, detail: expect.stringContaining(detail) }])
  expect(seen).toEqual([scratch.path])
})

test('what an administrator has Claude Code delete is told, whatever the person says', async () => {
  using scratch = scratchDirectory()
  const { path } = scratch
  mkdirSync(join(path, 'managed-settings.d'))
  writeFileSync(join(path, 'managed-settings.json'), '{"env":{}}')
  writeFileSync(join(path, 'managed-settings.d', '10-days.json'), '{"cleanupPeriodDays":14}')
  const context = await checkContextOf({ home: join(path, 'iris'), env: { HOME: path, PATH: '' }, daemon: undefined })
  expect(await cleanUp(context, managedFiles(path))).toMatchObject([
    { check: 'transcripts', state: 'warn', detail: expect.stringMatching(/10-days\.json .* after 14 days/) },
  ])
  writeFileSync(join(path, 'managed-settings.d', '10-days.json'), '{}')
  expect((await cleanUp(context, managedFiles(path))).map(({ state }) => state)).not.toContain('warn')
})

test.each([
  [0, []],
  [manyKept - 1, [{ state: 'ok', detail: '3.2 GB of attached files in the store, of at most 4.3 GB' }]],
  [manyKept, [{ state: 'warn', remedy: expect.stringContaining('iris delete') }]],
])('%d bytes of attached files are said to be so', (bytes, findings) => {
  expect(attachedFiles(bytes)).toMatchObject(findings)
})

test.each([
  [Number.POSITIVE_INFINITY, 'ok', 'the system sets no limit'],
  [144, 'ok', '144 files may be open at once'],
  [143, 'warn', 'only 143 files may be open at once, and maxProcesses needs 144'],
])('with a limit of %s open files this is said', async (most, state, detail) => {
  using scratch = scratchDirectory()
  const context = await checkContextOf({ home: scratch.path, env: { HOME: scratch.path }, daemon: undefined })
  expect(openFiles(context, most)).toMatchObject([{ check: 'files', state, detail }])
  expect(() => openFiles(context, 64)).toThrow('needs at least 128')
})

test('a system without /proc is told to lack what needs it', () => {
  expect(proc()).toMatchObject([{ check: 'proc', state: 'ok' }])
  const findings = proc('/nowhere')
  expect(findings.length).toBeGreaterThan(1)
  for (const { check, state, remedy } of findings) {
    expect({ check, state, remedy }).toEqual({
      check: 'proc',
      state: 'warn',
      remedy: expect.stringContaining('security.md'),
    })
  }
  expect(findings[0]!.detail).toContain('a caller is identified only by its token')
})

test('a copied home is a finding while its original is there, and a home in its place is none', async () => {
  using scratch = scratchDirectory()
  const [original, home] = [join(scratch.path, 'original'), join(scratch.path, 'copy')]
  for (const each of [original, home]) {
    mkdirSync(each)
    writeFileSync(homePaths(each).storeMemory, '{"identity":7,"sequence":1}')
    writeHomeRecord(each, { path: original })
  }
  const found = async (of: string) =>
    copy(await checkContextOf({ home: of, env: { HOME: scratch.path, PATH: '' }, daemon: undefined }))
  expect(await found(original)).toEqual([])
  expect(await found(home)).toMatchObject([
    { check: 'copy', state: 'fail', detail: expect.stringContaining(`is a copy of ${original}`), remedy: 'iris adopt' },
  ])
  writeFileSync(homePaths(home).lock, '')
  linkSync(homePaths(home).lock, join(original, 'lock of the original'))
  expect(await found(home)).toMatchObject([
    {
      check: 'copy',
      state: 'fail',
      detail: expect.stringContaining('by hard links'),
      remedy: expect.stringContaining('cp -a'),
    },
  ])
})

import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { longText, writeLongText } from './long-text.ts'

function place(): string {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  return join(scratch.path, 'session', 'answers', 'turn.md')
}

test('each part of a text is read as it was written, wherever its characters lie in the file', async () => {
  const path = place()
  const long = `${'a'.repeat(65_535)}😀${'é'.repeat(70_000)}${'日'.repeat(70_000)}\ufeff${'b'.repeat(65_000)}`
  await writeLongText(path, long)
  const text = await longText(path)
  expect(text?.length).toBe(long.length)
  expect(await text!.slice(0, long.length + 5)).toBe(long)
  const offset = fc.integer({ min: 0, max: long.length })
  const near = fc.oneof(offset, fc.constantFrom(65_534, 65_535, 65_536, 65_537, long.length))
  await fc.assert(
    fc.asyncProperty(near, near, async (from, to) => {
      expect(await text!.slice(from, to)).toBe(long.slice(from, to))
    }),
    { numRuns: 50 },
  )
  expect(readFileSync(path, 'utf8')).toBe(long)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a text that is written again takes the place of the first, and follows no link', async () => {
  const path = place()
  await writeLongText(path, 'first')
  const target = join(path, '../../target')
  writeFileSync(target, 'not ours')
  rmSync(path)
  symlinkSync(target, path)
  await writeLongText(path, 'second')
  expect(readFileSync(target, 'utf8')).toBe('not ours')
  expect(await (await longText(path))!.slice(0, 9)).toBe('second')
})

test('without the file, or without its places, there is no text', async () => {
  const path = place()
  expect(await longText(path)).toBeUndefined()
  await writeLongText(path, 'text')
  rmSync(path)
  expect(await longText(path)).toBeUndefined()
  writeFileSync(path, 'text')
  rmSync(`${path}.places.json`)
  expect(await longText(path)).toBeUndefined()
})

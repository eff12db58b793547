import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { ended, recovered } from '../turn/verdict.ts'
import { firstBytes, wholeText, withinBounds } from './long-answers.ts'

/** Bounds of 1000 bytes, in the test's own directory. */
function bounds() {
  const scratch = scratchDirectory()
  onTestFinished(() => scratch[Symbol.dispose]())
  const logged: string[] = []
  const transcripts = { answersOf: (sessionId: string) => join(scratch.path, sessionId, 'answers') }
  const parts = {
    config: () => ({ settings: { maxAnswerBytes: 1000 } }),
    transcripts,
    log: { error: (what: string) => logged.push(what) },
  } as unknown as Parameters<typeof withinBounds>[3]
  const whole = async (field: 'answer' | 'everything') => {
    const text = await wholeText(transcripts, 's1', 't1', field)
    return text?.slice(0, text.length)
  }
  return { path: scratch.path, parts, logged, whole }
}

test('an answer within the bound stays as it is, and leaves no file', async () => {
  const { parts, whole } = bounds()
  const end = recovered('é'.repeat(500))
  expect(await withinBounds('t1', 's1', end, parts)).toBe(end)
  expect(await whole('answer')).toBeUndefined()
})

test('of a longer one the beginning stays, which says where the rest is; the file has all of it', async () => {
  const { path, parts, whole } = bounds()
  const said = 'é'.repeat(600)
  const end = await withinBounds('t1', 's1', recovered(said), parts)
  expect(end.answer).toMatch(/^é{500}\n\n\[Iris: .* of 600 characters\..* turnId t1, from 500\.\]$/)
  expect(end.detail).toContain(join(path, 's1/answers/t1.md'))
  expect(await whole('answer')).toBe(said)
})

test('all that was said has a file of its own; what there is of an answer has that of the answer', async () => {
  const { parts, whole } = bounds()
  const everything = 'x'.repeat(2000)
  const notes = { everything, toolAfter: false, longerBefore: 0, hookReasons: [] }
  const end = await withinBounds('t1', 's1', recovered('short', notes), parts)
  expect(end).toMatchObject({ answer: 'short', partial: expect.stringMatching(/from 1000 and everything: true\.\]$/) })
  expect(await whole('everything')).toBe(everything)
  await withinBounds('t1', 's1', ended('failed', 'hung', 'It hangs.', everything), parts)
  expect(await whole('answer')).toBe(everything)
})

test('where no file can be written, the store has all of it', async () => {
  const { path, parts, logged } = bounds()
  writeFileSync(join(path, 's1'), 'in the way')
  const end = recovered('x'.repeat(2000))
  expect(await withinBounds('t1', 's1', end, parts)).toBe(end)
  expect(logged).toHaveLength(1)
  expect(readFileSync(join(path, 's1'), 'utf8')).toBe('in the way')
})

test.each([
  ['aé日😀', 1, 'a'],
  ['aé日😀', 2, 'a'],
  ['aé日😀', 3, 'aé'],
  ['aé日😀', 9, 'aé日'],
  ['aé日😀', 10, 'aé日😀'],
  ['aé日😀', 99, 'aé日😀'],
])('the first bytes of %s, %i at most, are %s', (text, most, first) => expect(firstBytes(text, most)).toBe(first))

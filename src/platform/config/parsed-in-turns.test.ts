import { expect, test } from 'vitest'
import { LineCounter, parseDocument } from 'yaml'

import { parsedInTurns } from './parsed-in-turns.ts'

const teams = Array.from(
  { length: 1000 },
  (_, number) => `  team-${number}: {path: "/a/${number}"} # ${number}\n`,
).join('')
const long = `teams:\n${teams}`

test.each([
  ['a long text', long],
  ['a short text', 'teams:\n  one: {path: /a}\n'],
  ['two documents', `${long}---\n${long}---\n`],
  ['tabs', `${long}\tone: 1\n`],
  ['an open quote', `${long}  last: "a\n`],
  ['directives and a byte order mark', `\ufeff%YAML 1.2\n---\n${long}`],
  ['a directive without a document', `%YAML 1.2\n#${'x'.repeat(9000)}`],
  ['only a comment', `# ${'a'.repeat(9000)}\n`],
  ['anchors', `${long}a: &a\n  b: [1, 2, *a]\n`],
])('%s is read as by the library', async (_what, text) => {
  const [own, theirs] = [new LineCounter(), new LineCounter()]
  const options = { prettyErrors: false, stringKeys: true, uniqueKeys: false } as const
  const ours = await parsedInTurns(text, { ...options, lineCounter: own })
  const plain = parseDocument(text, { ...options, lineCounter: theirs })

  expect(ours.errors.map(({ code, pos }) => [code, pos])).toEqual(plain.errors.map(({ code, pos }) => [code, pos]))
  expect(ours.warnings.length).toBe(plain.warnings.length)
  expect(own.lineStarts).toEqual(theirs.lineStarts)
  expect(ours.range).toEqual(plain.range)
  expect(JSON.stringify(ours.contents)).toBe(JSON.stringify(plain.contents))
})

test('while a long text is read, others have their turns', async () => {
  let [turns, isRead] = [0, false]
  const other = (): void => {
    turns += 1
    if (!isRead) setImmediate(other)
  }
  setImmediate(other)
  await parsedInTurns(long, { prettyErrors: false })
  isRead = true
  expect(turns).toBeGreaterThan(5)
})

import { expect, test } from 'vitest'
import { whatWasSaid } from './summary.ts'

const exchange = (name: string, length = 0) => ({ message: `question ${name}`, answer: `${name}${'x'.repeat(length)}` })

test('the summary comes first, then the last exchanges in the order they were said', () => {
  const text = whatWasSaid('SUMMARY', [exchange('b'), exchange('a')])
  expect(text).toBe(
    'SUMMARY\n\nThe last questions and answers were:\n\nQuestion:\nquestion a\n\nYour answer:\na\n\nQuestion:\nquestion b\n\nYour answer:\nb',
  )
})

test('without a summary it says so', () => {
  expect(whatWasSaid(undefined, [exchange('a')])).toMatch(/^No summary could be made\.\n\n.*question a/s)
  expect(whatWasSaid('SUMMARY', [])).toBe('SUMMARY')
})

test('it stays short whatever was said, the newest first, and cuts no character in two', () => {
  const text = whatWasSaid('s'.repeat(39_999) + '😀'.repeat(9), [exchange('newest', 40_000), exchange('older', 9)])
  expect(text.length).toBeLessThan(81_000)
  expect(text).toContain('(The summary goes on; the rest was left out.)')
  expect(text).toContain('question newest')
  expect(text).not.toContain('Your answer:\nolder')
  expect(text.isWellFormed()).toBe(true)
})

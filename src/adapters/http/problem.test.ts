import { expect, test } from 'vitest'
import { IrisError } from '../../base/protocol/error.ts'
import { errorOf, problemOf } from './problem.ts'

test.each(['shutting_down', 'store_unavailable'] as const)('%s says when to try again', async (code) => {
  for (const response of [problemOf, errorOf].map((made) => made(new IrisError(code, 'What.', 'Do.')))) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(JSON.stringify(await response.json())).toContain('"retryAfterMs":5000')
  }
})

test('a refusal has its own time to try again, or none', async () => {
  const limited = problemOf(new IrisError('too_many_calls', 'What.', 'Do.', { retryAfterMs: 80 }))
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await limited.json()).toMatchObject({ retryAfterMs: 80 })
  expect(problemOf(new IrisError('invalid_input', 'What.', 'Do.')).headers.get('retry-after')).toBeNull()
})

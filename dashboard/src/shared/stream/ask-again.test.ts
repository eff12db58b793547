import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { askAgain } from './ask-again.ts'

/** A query whose answers are given by hand, in the order of its questions. */
function shown(queries: QueryClient) {
  const asked: ((answer: string) => void)[] = []
  const queryFn = (): Promise<string> => new Promise((resolve) => asked.push(resolve))
  const observer = new QueryObserver(queries, { queryKey: ['turns'], queryFn, staleTime: Number.POSITIVE_INFINITY })
  const end = observer.subscribe(() => {})
  const answer = async (text: string): Promise<void> => {
    asked.shift()!(text)
    await expect.poll(() => queries.getQueryData(['turns'])).toBe(text)
  }
  return { asked, answer, end }
}

test.each([0, 1])(
  'an answer that was on its way when it became stale is asked for again, after %i before it',
  async (before) => {
    const queries = new QueryClient()
    const { asked, answer, end } = shown(queries)
    if (before > 0) {
      await answer('first')
      void askAgain(queries, { queryKey: ['turns'] })
    }
    void askAgain(queries, { queryKey: ['turns'] })
    void askAgain(queries, { queryKey: ['turns'] })
    // Many changes in one answer's time ask once more, and never end the question that is under way.
    expect(asked).toHaveLength(1)
    await answer('old')
    await expect.poll(() => asked.length).toBe(1)
    await answer('new')
    expect(asked).toHaveLength(0)
    end()
    queries.clear()
  },
)

test('what is not shown is not asked for', async () => {
  const queries = new QueryClient()
  const { asked, answer, end } = shown(queries)
  await answer('first')
  end()
  await askAgain(queries, { queryKey: ['turns'] })
  expect(asked).toHaveLength(0)
  expect(queries.getQueryState(['turns'])!.isInvalidated).toBe(true)
  queries.clear()
})

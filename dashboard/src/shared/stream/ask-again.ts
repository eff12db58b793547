import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

const again = new WeakSet<Query>()

/**
 * Requests stale data again. A running request is not aborted, since continuous events would then let no answer through
 * on a slow connection. Its answer may be older than the change, so the data is requested once more.
 */
export async function askAgain(queries: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const underWay = queries.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })
  await Promise.all([
    queries.invalidateQueries({ ...filters, fetchStatus: 'idle' }),
    ...underWay.map(async (query) => {
      if (again.has(query)) return
      again.add(query)
      await query.promise?.catch(() => {})
      again.delete(query)
      await queries.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false })
    }),
  ])
}

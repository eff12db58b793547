import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Problem } from '../api/operations.ts'
import { Loading, Trouble } from './states.tsx'

interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data, Problem>
  /** Read out while it loads: "the sessions". */
  readonly what: string
  readonly children: (data: Data) => ReactNode
}

/** The data of a query, with its error above. Data that was loaded once stays visible. */
export function QueryView<Data>({ query, what, children }: QueryViewProps<Data>) {
  const { data, error, refetch } = query
  return (
    <>
      {error && <Trouble problem={error} onRetry={() => void refetch()} />}
      {data === undefined ? !error && <Loading what={what} /> : children(data)}
    </>
  )
}

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'

export type Check = Output<'check_config'> & { readonly text: string }

/** Iris's check of the text; while it runs, the check of the previous text. */
export function useCheck(text: string): UseQueryResult<Check, Problem> {
  return useQuery<Check, Problem>({
    queryKey: ['check_config', { text }],
    queryFn: async ({ signal }) => ({ ...(await call('check_config', { text }, { signal })), text }),
    placeholderData: (before) => before,
    gcTime: 60_000,
    // The file may have changed meanwhile, and Iris publishes no event for a save that changes nothing in force.
    refetchOnMount: 'always',
  })
}

import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import type { OperationName } from '../../../../src/features/contracts.ts'
import { call, type Input, type Output, type Problem } from './operations.ts'

/**
 * The result of a reading operation, kept under `[name, input]` and requested again when the stream says that it
 * changed. `askAgainMs`: also at this interval, for results that change without an event. A `staleTime` of 0 requests
 * it again each time a page shows it, for results whose changes no event reports.
 */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: { readonly enabled?: boolean; readonly askAgainMs?: number; readonly staleTime?: number } = {},
): UseQueryResult<Output<Name>, Problem> {
  const { enabled = true, askAgainMs, staleTime } = options
  return useQuery<Output<Name>, Problem>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled,
    refetchInterval: askAgainMs ?? false,
    ...(staleTime !== undefined && { staleTime }),
  })
}

/** An operation that changes something. The stream reports the changes. */
export function useVerb<Name extends OperationName>(name: Name): UseMutationResult<Output<Name>, Problem, Input<Name>> {
  return useMutation<Output<Name>, Problem, Input<Name>>({ mutationFn: (input) => call(name, input) })
}

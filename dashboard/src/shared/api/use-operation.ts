import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import type { OperationName } from '../../../../src/features/contracts.ts'
import { call, type Input, type Output, type Problem } from './operations.ts'

/**
 * The result of a reading operation, kept under `[name, input]` and requested again when the stream says that it
 * changed. `askAgainMs`: also at this interval, for results that change without an event.
 */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { enabled = true, askAgainMs }: { readonly enabled?: boolean; readonly askAgainMs?: number } = {},
): UseQueryResult<Output<Name>, Problem> {
  return useQuery<Output<Name>, Problem>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled,
    refetchInterval: askAgainMs ?? false,
  })
}

/** An operation that changes something. The stream reports the changes. */
export function useVerb<Name extends OperationName>(name: Name): UseMutationResult<Output<Name>, Problem, Input<Name>> {
  return useMutation<Output<Name>, Problem, Input<Name>>({ mutationFn: (input) => call(name, input) })
}

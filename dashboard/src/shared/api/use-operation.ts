import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import type { OperationName } from '../../../../src/features/contracts.ts'
import { call, type Input, type Output, type Problem } from './operations.ts'

/**
 * What a reading operation says, kept under `[name, input]` and asked for again when the stream says that it changed.
 * `askAgainMs`: and so often, for what changes without an event.
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

/** An operation that does something. What it changes comes back by the stream. */
export function useVerb<Name extends OperationName>(name: Name): UseMutationResult<Output<Name>, Problem, Input<Name>> {
  return useMutation<Output<Name>, Problem, Input<Name>>({ mutationFn: (input) => call(name, input) })
}

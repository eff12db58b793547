import type { Input } from '../../../adapters/client/tool-call.ts'
import type { OperationName } from '../../../base/protocol/operations/index.ts'
import { offeredOperations } from './offered.ts'
import type { CallSpec, CommandSpec } from './spec.ts'

/** A command made from an operation and a printer. It calls as the owner where the operation is for the owner alone. */
export function callCommand<Name extends OperationName>({ lines, ...described }: CallSpec<Name>): CommandSpec {
  const { operation } = described
  return {
    ...described,
    load: async () => {
      const [{ call, ownerCall }, offered, { say, sayJson }] = await Promise.all([
        import('../call.ts'),
        offeredOperations(),
        import('../say.ts'),
      ])
      const ask = offered[operation].access === 'owner' ? ownerCall : call
      return async ({ env, input, json }) => {
        const output = await ask(env, operation, input as Input<Name>)
        if (json) sayJson(output)
        else for (const line of (await lines())(output)) say(line)
      }
    },
  }
}

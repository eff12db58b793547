import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import type { OperationName } from '../../../base/protocol/operations/index.ts'
import { offeredOperations } from './offered.ts'
import type { CallSpec, CommandSpec } from './spec.ts'

/** A command made from an operation and a printer. It calls as the owner where the operation is for the owner alone. */
export function callCommand<Name extends OperationName>({ lines, ...described }: CallSpec<Name>): CommandSpec {
  const { operation } = described
  return {
    ...described,
    load: async () => {
      const [{ call, ownerCall, readAgain }, offered] = await Promise.all([import('../call.ts'), offeredOperations()])
      const { access, readOnly } = offered[operation]
      const ask = access === 'owner' ? ownerCall : call
      return async ({ context, input, json }) => {
        const makeCall = (): Promise<Output<Name>> => ask(context, operation, input as Input<Name>)
        const output = await (readOnly ? readAgain(makeCall) : makeCall())
        if (json) context.sayJson(output)
        else for (const line of (await lines())(output, context.width)) context.say(line)
      }
    },
  }
}

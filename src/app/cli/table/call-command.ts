import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import type { OperationName } from '../../../features/contracts.ts'
import type { CommandContext } from '../context.ts'
import { offeredOperations } from './offered.ts'
import type { Offered } from './operations-offered.ts'
import type { CallSpec, CommandSpec, Given, OfOperation } from './spec.ts'

/**
 * Makes a command from an operation and a printer. The command calls as the owner if only the owner may call the
 * operation. If it has the option `--from`, it calls as the team of the directory by default, as `iris tell` does.
 */
export function callCommand<Name extends OperationName>({
  lines,
  exitCode,
  ...described
}: CallSpec<Name>): CommandSpec {
  const { operation } = described
  return {
    ...described,
    load: async () => {
      const [{ call, ownerCall, readAgain }, offered] = await Promise.all([import('../call.ts'), offeredOperations()])
      const { access, readOnly } = offered[operation]
      const ask = access === 'owner' ? ownerCall : call
      const speaks = saysWhoAsks(described, offered)
      // The id of a message may be left out.
      const takesNewest = described.places?.['turnId'] === '[turn]'
      return async ({ context, input: typed, json }) => {
        const named = takesNewest ? await (await import('../ask/newest-message.ts')).withNewest(context, typed) : typed
        const input = speaks ? await asUsualSpeaker(context, named) : named
        const makeCall = (): Promise<Output<Name>> => ask(context, operation, input as Input<Name>)
        const output = await (readOnly ? readAgain(makeCall) : makeCall())
        if (json) context.sayJson(output)
        else for (const line of (await lines())(output, context.width)) context.say(line)
        return exitCode?.(output)
      }
    },
  }
}

/** Whether the command has the option `--from`, which names the team that asks. */
export function saysWhoAsks({ operation, places = {}, without = [] }: Partial<OfOperation>, offered: Offered): boolean {
  const isPlaced = 'fromTeam' in places || without.includes('fromTeam')
  return operation !== undefined && !isPlaced && offered[operation].fields.some(({ name }) => name === 'fromTeam')
}

async function asUsualSpeaker(context: CommandContext, input: Given['input']): Promise<Given['input']> {
  if (input['fromTeam'] !== undefined) return input
  const { speakerText, usualSpeaker } = await import('../ask/speaker.ts')
  const fromTeam = await usualSpeaker(context, typeof input['team'] === 'string' ? input['team'] : '')
  if (fromTeam === undefined) return input
  context.aside(speakerText(fromTeam))
  return { ...input, fromTeam }
}

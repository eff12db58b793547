import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Log } from '../../base/lib/log.ts'
import type { MadePrompt, Operation } from '../../base/operation/operation.ts'
import { toIrisError } from '../../base/protocol/error.ts'
import { contracts, operationNames } from '../../features/contracts.ts'
import type { Call } from '../../kernel/call/call.ts'
import type { Operations } from '../../kernel/call/operations.ts'

/** The operations that declare prompts. */
const declared = operationNames.flatMap((operation) => {
  const { prompts, input }: Operation = contracts[operation]
  return prompts === undefined ? [] : [{ ...prompts, operation, input }]
})

export const prompts: readonly Prompt[] = declared.flatMap(({ kinds, arguments: known }) => {
  const promptArguments = Object.entries(known).map(([name, description]) => ({ name, description, required: false }))
  return Object.entries(kinds).map(([name, what]) => ({
    name,
    description: `${what}.`,
    arguments: promptArguments,
  }))
})

export interface AskedPrompt {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
}

/** A prompt's arguments are text. These are the texts for a boolean. */
const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The text from the prompt's operation, as the first message. Throws a ProtocolError if the operation refuses. */
export async function getPrompt(
  asked: AskedPrompt,
  call: Call,
  operations: Operations,
  log: Log,
): Promise<GetPromptResult> {
  // Some clients send every argument, with an empty text for an argument that was not given.
  const given = Object.entries(asked.arguments ?? {}).filter(([, text]) => text !== '')
  // An unknown name is refused by a contract, which says which names there are.
  const { operation, field, kinds, input } =
    declared.find((each) => Object.hasOwn(each.kinds, asked.name)) ?? declared[0]!
  // Any other text for a boolean is passed on, and the contract refuses it with an explanation.
  const values = given.map(([name, text]) => {
    const isFlag = Object.hasOwn(input.shape, name) && input.shape[name]!.safeParse(true).success
    return [name, isFlag ? (flags.get(text) ?? text) : text]
  })
  try {
    const made = await operations.call(operation, { ...Object.fromEntries(values), [field]: asked.name }, call)
    const { prompt, source, warnings } = made as MadePrompt
    for (const warning of warnings) log.warn(`prompt ${asked.name}: ${warning}`)
    return {
      description: `${kinds[asked.name]}.`,
      messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
      _meta: { 'iris/source': source, 'iris/warnings': [...warnings] },
    }
  } catch (error) {
    const { message, ...data } = toIrisError(error).toJSON()
    if (data.code === 'internal') log.error(`prompt ${asked.name} failed: ${String(error)}`)
    const kind = data.code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(kind, `${message} ${data.remedy}`, data)
  }
}

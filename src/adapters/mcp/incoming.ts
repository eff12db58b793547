import { isRecord } from '../../base/lib/is-record.ts'

type Message = Readonly<Record<string, unknown>>

export interface Incoming {
  /** The message without the arguments that are null, because some clients send every argument. */
  readonly message: Message
  /**
   * Tells the sender why its params cannot be read. Without it, the library would answer with a dump of its validation.
   */
  readonly problem: string | undefined
}

/** Reads a JSON-RPC message before the library does. */
export function incoming(message: Message): Incoming {
  const { method, params } = message
  if (typeof message['id'] !== 'string' && typeof message['id'] !== 'number') return { message, problem: undefined }
  if (method === 'initialize') return { message, problem: problemOfInitialize(params) }
  if (method !== 'tools/call' && method !== 'prompts/get') return { message, problem: undefined }
  if (!isRecord(params) || typeof params['name'] !== 'string')
    return { message, problem: `"${method}" needs params with a name.` }
  const { arguments: given, ...others } = params
  if (given === undefined || given === null) return { message: { ...message, params: others }, problem: undefined }
  if (!isRecord(given)) return { message, problem: 'The arguments are not an object.' }
  if (method === 'tools/call') return { message, problem: undefined }
  const named = Object.entries(given).filter(([, value]) => value !== null)
  const wrong = named.find(([, value]) => typeof value !== 'string')
  const problem = wrong && `The argument "${wrong[0]}" is not text; a prompt's arguments must be text.`
  return { message: { ...message, params: { ...others, arguments: Object.fromEntries(named) } }, problem }
}

function problemOfInitialize(params: unknown): string | undefined {
  const { protocolVersion, capabilities, clientInfo } = isRecord(params) ? params : {}
  if (typeof protocolVersion !== 'string')
    return '"initialize" needs params with a protocolVersion, such as "2025-11-25".'
  if (!isRecord(capabilities)) return '"initialize" needs params with capabilities; {} is enough.'
  const isNamed =
    isRecord(clientInfo) && typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string'
  return isNamed ? undefined : '"initialize" needs params with a clientInfo that has a name and a version.'
}

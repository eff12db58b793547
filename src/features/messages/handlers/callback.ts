import { IrisError } from '../../../base/protocol/error.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { isNamed, isRestricted } from '../../../kernel/call/policy.ts'
import type { Ask } from '../../../kernel/turn/ask.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { SendInput } from '../contract/messages.ts'

/**
 * The callback for a message to a team, and the metadata returned with its events. Throws `not_allowed`, `not_found`
 * and `invalid_input`.
 */
export function callbackFor(
  { callback: name, metadata, whenBusy }: Pick<SendInput, 'callback' | 'metadata' | 'whenBusy'>,
  to: string,
  { auth: { principal } }: Call,
  { callbacks }: Config,
): Pick<Ask, 'callback' | 'metadata'> {
  if (name === undefined && metadata === undefined) return {}
  const isOfProgram = isNamed(principal)
  if (isRestricted(principal) && !isOfProgram)
    throw new IrisError('not_allowed', 'Agents cannot set a callback or metadata.', 'Leave both out.')
  if (name === undefined) return { metadata }
  const mayName = principal.callbacks ?? []
  if (isOfProgram && !mayName.includes(name))
    throw new IrisError(
      'not_allowed',
      `The token of ${principal.id} may not name the callback "${name}".`,
      mayName.length === 0
        ? 'The owner can create one that may: "iris token create --callbacks".'
        : `It may name: ${mayName.join(', ')}.`,
    )
  const callback = callbacks.get(name)
  if (callback === undefined) {
    const known = isOfProgram ? mayName.filter((each) => callbacks.has(each)) : [...callbacks.keys()]
    const remedy = `Callbacks: ${known.join(', ') || 'none yet'}. The owner can add one under callbacks in config.yaml.`
    throw new IrisError('not_found', `There is no callback "${name}".`, remedy)
  }
  if (callback.teams?.includes(to) === false)
    throw new IrisError(
      'not_allowed',
      `Messages to "${to}" may not name the callback "${name}".`,
      `This callback is only for: ${callback.teams.join(', ')}.`,
    )
  if (whenBusy === 'steer')
    throw new IrisError(
      'invalid_input',
      'A message that joins another one does not end separately, so it cannot have a callback.',
      'Leave callback or whenBusy out.',
    )
  return { callback: name, metadata }
}

import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { Call } from '../../kernel/call/call.ts'
import type { returnValue } from '../messages/contract/messages.ts'
import { joinedErrors } from './schemas.ts'

/** The dependencies of these operations. */
export interface TypedParts {
  /** Turns by their ids. */
  readonly turns: Turns
}

type Input = z.output<typeof returnValue.input>
type Output = z.output<typeof returnValue.output>

/** return_value: the agent of a turn gives the value that the ask wants. Throws `value_invalid`, `invalid_input`. */
export async function give({ value }: Input, { auth }: Call, { turns }: TypedParts): Promise<Output> {
  if (auth.parent === undefined) {
    throw new IrisError(
      'invalid_input',
      'You are not working on a message.',
      'Only an agent that is working on a message can call this.',
    )
  }
  const { taken, errors, again } = await turns.handle(auth.parent.turnId).giveValue(value)
  if (taken) return { taken }
  throw new IrisError(
    'value_invalid',
    `The value was not accepted: ${joinedErrors(errors)}.`,
    again ? 'Correct it and call return_value again.' : 'No more values are accepted. Stop here.',
  )
}

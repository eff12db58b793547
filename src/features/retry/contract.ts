import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { TurnIdInput } from '../../base/operation/pair.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { TurnResult } from '../../base/protocol/turn.ts'

export const retryMessage = operation({
  name: 'retry_message',
  routes: ['POST /api/turns/{turnId}/retry'],
  title: 'Retry a message that failed',
  description:
    'Sends a message that ended without an answer again, in the same conversation, and returns the new turnId at once. A second call for the same message returns the same turn.',
  access: 'program',
  isTool: false,
  input: z.object({
    turnId: TurnIdInput.describe('The message that failed; its first characters are enough'),
    evenInDoubt: z
      .boolean()
      .optional()
      .describe('Also if it is unknown how it ended; its tools may have run, and may then run twice'),
  }),
  output: TurnResult,
  readOnly: false,
})

export const dismissFailure = operation({
  name: 'dismiss_failure',
  routes: ['POST /api/turns/{turnId}/dismiss'],
  title: 'Dismiss a failure',
  description: 'Removes a failed message from the failures. Its conversation no longer needs you.',
  access: 'owner',
  isTool: false,
  input: z.object({ turnId: TurnIdInput }),
  output: z.object({ turnId: z.string() }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface RetryEvents {
  /** A person dismissed the failure of the turn. */
  readonly 'failure-dismissed': PairIds & { readonly turnId: string }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends RetryEvents {}
}

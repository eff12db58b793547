import type { z } from 'zod'
import { type Clock, every } from '../../../base/lib/clock.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { permissionsApprove } from '../contract/approve.ts'

/** The dependencies of these operations. */
export interface ApproveParts {
  readonly clock: Clock
}

type Input = z.output<typeof permissionsApprove.input>
type Answer = z.output<typeof permissionsApprove.output>

/**
 * Claude Code aborts a call that has no first byte after 60 s and, according to its documentation, a call without
 * progress after 300 s.
 */
const heartbeatMs = 15_000

/** permissions__approve: the same question as over the pipe, decided by the same `mayUse`. */
export async function approve(
  { tool_name: toolName, input, tool_use_id: named }: Input,
  { auth: { endpoint, parent }, signal, progress }: Call,
  { clock }: Pick<ApproveParts, 'clock'>,
): Promise<Answer> {
  if (endpoint === undefined) {
    return {
      behavior: 'deny',
      message: 'No session context: only Claude Code, through the endpoint of its session, can ask.',
    }
  }
  const say = (): void => progress({ message: `Deciding whether ${toolName} may run.` })
  say()
  const endHeartbeat = every(clock, heartbeatMs, say)
  try {
    const toolUseId = named ?? parent?.toolUseId ?? ''
    return await endpoint.mayUse({ toolName, toolUseId, input, suggestions: [], blockedPath: undefined }, signal)
  } finally {
    endHeartbeat()
  }
}

import { aProgram } from '../src/kernel/call/principal.ts'
import type { TestIris } from '../test/support/iris.ts'

/** A turn by a call of the operation, without MCP and HTTP. */
export function ask({ daemon }: TestIris, message: string): Promise<Record<string, unknown>> {
  const call = {
    auth: { principal: aProgram, team: undefined, parent: undefined },
    signal: new AbortController().signal,
    progress: () => {},
    idempotencyKey: undefined,
  } as const
  return daemon.operations.call('send_message', { toTeam: 'backend', message, timeout: 0 }, call)
}

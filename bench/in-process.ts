import { aProgram } from '../src/kernel/call/principal.ts'
import type { TestIris } from '../test/support/iris.ts'

/** A turn by a call of the operation, without MCP and HTTP. `more`: further input of `send_message`. */
export function ask(
  { daemon }: { readonly daemon: Pick<TestIris['daemon'], 'operations'> },
  message: string,
  more: { readonly toTeam?: string; readonly thread?: string; readonly timeout?: number } = {},
): Promise<Record<string, unknown>> {
  const call = {
    auth: { principal: aProgram, team: undefined, parent: undefined },
    signal: new AbortController().signal,
    progress: () => {},
    idempotencyKey: undefined,
  } as const
  return daemon.operations.call('send_message', { toTeam: 'backend', timeout: 0, ...more, message }, call)
}

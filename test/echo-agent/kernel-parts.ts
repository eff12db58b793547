import type { ControlHandler } from '../../src/base/agent/control-handler.ts'
import type { Log } from '../../src/base/lib/log.ts'
import type { OrchestratorParts } from '../../src/kernel/recover/parts.ts'

/** The machine of an agent that has no process and no files. */
export const noMachine: OrchestratorParts['launcher'] = {
  isRemote: () => false,
  isUnreachable: () => false,
  place: () => Promise.reject(new Error('there are no files')),
  transcriptOf: async () => undefined,
  setups: { missingIn: () => [] },
}

/** Lets every tool run that `beforeTool` lets run, and answers no question. */
export function hostWith(beforeTool: ControlHandler['beforeTool']): ControlHandler {
  return {
    beforeTool,
    afterTool: () => {},
    toolRefused: () => {},
    mustAsk: () => false,
    noteFor: () => undefined,
    mayUse: async () => ({ behavior: 'deny', message: 'nobody answers questions' }),
    mcp: async () => undefined,
  }
}

/** Keeps what only a fault of Iris logs. */
export function logOf(onError: (message: string) => void): Log {
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: onError, for: () => log }
  return log
}

import type { ControlHandler } from '../../src/base/agent/control-handler.ts'
import type { Log } from '../../src/base/lib/log.ts'
import type { OrchestratorParts } from '../../src/kernel/recover/parts.ts'
import type { Holders } from '../../src/kernel/session/holders.ts'
import type { MessageFiles } from '../../src/kernel/session/message-files.ts'
import type { OtherHosts } from '../../src/kernel/session/other-hosts.ts'
import type { AccountWaits } from '../../src/kernel/turn/account-waits.ts'
import type { TreeBudgets } from '../../src/kernel/turn/tree-budgets.ts'

// What the kernel asks of features, where no feature is: it limits nothing, forbids nothing and adds nothing.

export const noBudgets: TreeBudgets = {
  admit: (_, asked) => asked,
  leftFor: () => undefined,
  opened: () => {},
  takenUp: () => {},
  look: () => {},
  saw: () => {},
  settled: () => {},
  close: () => {},
  figures: () => ({ used: { turns: 0, tokens: 0, cost: 0, time: 0 } }),
}

export const noLimits: AccountWaits = {
  of: () => undefined,
  refuse: () => {},
  passed: async () => {},
  saw: () => {},
  judged: () => {},
  waitsElsewhere: () => {},
}

export const noFiles: MessageFiles = {
  admitted: () => null,
  keep: () => {},
  withContent: () => {
    throw new Error('there are no files')
  },
  handOver: async () => ({ blocks: [], listed: [] }),
}

export const noOtherHosts: OtherHosts = {
  shared: { concerns: () => false, delivers: async () => true, starts: async () => true },
  isThere: () => false,
  teamNames: () => [],
  mustOffer: () => {},
  carry: async () => undefined,
  chainBefore: () => undefined,
}

export const noHolders: Holders = {
  look: async () => {},
  holderOf: () => undefined,
  unlessHeld: (_, launch) => launch(),
  whenLeft: async () => {},
}

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

import type { JSONRPCMessage, ServerContext } from '@modelcontextprotocol/server'
import type { Host } from '../claude/host.ts'
import type { Log } from '../lib/log.ts'
import { MessageServer } from '../mcp/message-server.ts'
import { createMcpServer } from '../mcp/server.ts'
import type { Caller, Domain } from '../operations/call.ts'
import { askersOf } from '../orchestrator/askers.ts'
import { beforeTool, type FenceParts } from '../orchestrator/fence.ts'
import type { Policy } from '../permission/policy.ts'
import type { Session } from '../session/session.ts'

/** The agent of a session, with whichever turn it works on now. */
export function agentCaller(session: Session, toolUseId: string): Caller {
  const turn = session.running
  return { kind: 'agent', party: session.to, parent: turn && { turn, toolUseId } }
}

export interface HostParts extends FenceParts {
  readonly policy: Policy
}

/** Everything that comes up the pipe of one process: the fence, permission questions, Iris's tools. */
export function hostFor(session: Session, startId: string, domain: Domain, parts: HostParts, log: Log): Host {
  const callerOf = ({ mcpReq }: ServerContext): Caller => {
    const named = mcpReq._meta?.['claudecode/toolUseId']
    return agentCaller(session, typeof named === 'string' ? named : String(mcpReq.id))
  }
  // Progress is left out: over the pipe no limit of time would need it.
  const server = new MessageServer(createMcpServer({ domain, log, kind: 'agent', callerOf }))
  return {
    beforeTool: (start) => parts.policy.refusal(session, start) ?? beforeTool(session, start, parts),
    mayUse: async (question, signal) => {
      const { decision, why } = parts.policy.judge(session, question)
      if (decision === 'allow') return { behavior: 'allow', updatedInput: question.input }
      if (decision === 'deny') return { behavior: 'deny', message: why }
      const chain = askersOf(session, { ledger: parts.ledger, sessions: domain.sessions })
      const asker = { session, processStart: startId, turn: session.running, chain }
      return domain.questions.ask(asker, decision, question, signal)
    },
    mcp: (message, signal) => server.receive(message as JSONRPCMessage, signal),
  }
}

import { roleOfThread } from '../../base/protocol/role.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Config, Role } from '../../platform/config/config.ts'
import { roleOf } from '../../platform/config/roles.ts'
import type { ChannelMessages } from './rows/channels.ts'

/** What the agent learns about the asker: in a turn with a role, it precedes the message. */
export interface AgentContext {
  readonly platform: string
  readonly roleName: string
  readonly session: {
    readonly sessionId: string
    readonly channelId?: string
    readonly userId?: string
    /** Chosen by the person, so it proves nothing about who they are. */
    readonly userName?: string
  }
  readonly capabilities: readonly string[]
  readonly limitations: readonly string[]
}

interface ContextParts {
  readonly config: () => Config
  readonly messages: Pick<ChannelMessages, 'ofTurn'>
}

/** Undefined for a turn without a role. */
export function agentContext(
  { from, thread, sessionId }: Pick<Session, 'from' | 'thread' | 'sessionId'>,
  turnId: string,
  { config, messages }: ContextParts,
): AgentContext | undefined {
  const name = roleOfThread(thread)
  if (name === undefined) return undefined
  const role = roleOf(config(), name)
  const asked = messages.ofTurn(turnId)
  const [platform = ''] = from.includes(':') ? from.split(':') : ['iris']
  const channelId = from.includes(':') ? from.slice(platform.length + 1) : undefined
  return {
    platform,
    roleName: name,
    session: {
      sessionId,
      ...(channelId !== undefined && { channelId }),
      ...(asked && { userId: asked.sender, userName: asked.senderName }),
    },
    ...rightsOf(role),
  }
}

function rightsOf({ tools, permission, teams }: Role): Pick<AgentContext, 'capabilities' | 'limitations'> {
  const asks = teams === undefined ? 'ask other teams' : `ask the teams ${teams.join(', ')}`
  const decides = { team: [], ask: ['a person decides about other tools'], no: ['no tool that needs a permission'] }
  if (tools === 'all') return { capabilities: ['all tools of the team', asks], limitations: decides[permission] }
  return {
    capabilities: [...tools, asks],
    limitations: ['no other tools', 'reads only within the project', ...decides[permission]],
  }
}

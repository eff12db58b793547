import { z } from 'zod'
import { TeamName } from '../../base/protocol/names.ts'
import { danger, withMetadata } from './field-metadata.ts'
import { budget, oneOf, text } from './fields.ts'

/** The Claude Code tools that a role may list. A role with a list has no other tools. */
const roleTools = [
  'Read',
  'Grep',
  'Glob',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'Edit',
  'Write',
  'NotebookEdit',
  'Bash',
] as const

/** What an agent may do in the chat that asks it. */
const chatToolNames = ['reply', 'react', 'history', 'file'] as const
export type ChatToolName = (typeof chatToolNames)[number]

/** One role in config.yaml: the rights of an asker, which never exceed those of the answering team. */
export const RoleEntry = z
  .strictObject({
    tools: withMetadata(
      z
        .union([z.literal('all'), z.array(z.enum(roleTools))])
        .default(['Read', 'Grep', 'Glob'])
        .describe(`all, or a list of ${roleTools.join(', ')}`),
      danger('gives tools to people outside'),
    ),
    permission: withMetadata(
      oneOf(['team', 'ask', 'no']).default('no'),
      danger('decides who lets tools of people outside run', ['no', 'ask', 'team']),
    ),
    teams: withMetadata(
      z.array(TeamName).optional().describe('a list of names of teams'),
      danger('opens teams to people outside'),
    ),
    budget: withMetadata(budget.optional(), danger('lets people outside use more')),
    chatTools: withMetadata(
      z
        .array(z.enum(chatToolNames))
        .default([...chatToolNames])
        .describe(`a list of ${chatToolNames.join(', ')}`),
      danger('gives tools to people outside'),
    ),
    instructions: text.optional(),
  })
  .describe('a mapping with tools, permission, teams, budget, chatTools and instructions, all optional')

/** The fields that decide how much a role may do. */
interface Rights {
  readonly tools: 'all' | readonly string[]
  readonly permission: 'team' | 'ask' | 'no'
  readonly teams?: readonly string[] | undefined
}

/** The roles that exist without configuration; config.yaml may replace them. */
export const builtInRoles: Readonly<Record<'os_agent' | 'chat_bot', z.input<typeof RoleEntry>>> = {
  os_agent: { tools: 'all', permission: 'team' },
  chat_bot: {},
}

/** The built-in role with the least rights. It also replaces a role that is not configured, as `roleOf` says. */
export const closedRole = 'chat_bot'

/**
 * The role of that name. A role that is not configured, for example because it was removed, gets the rights of
 * `closedRole`, and may ask no team: the removed role may have limited which teams could be asked, and those are no
 * longer known.
 */
export function roleOf<Role extends object>(
  { roles }: { readonly roles: ReadonlyMap<string, Role> },
  name: string,
): Role {
  return roles.get(name) ?? { ...roles.get(closedRole)!, teams: [] }
}

/** Whether the role has fewer rights than the answering team. If so, it limits everything that an answer causes. */
export function isLimited({ tools, permission, teams }: Rights): boolean {
  return tools !== 'all' || permission !== 'team' || teams !== undefined
}

/** Whether the role's processes start with a list of tools and without the project's and the person's settings. */
export function isNarrowed({ tools }: Pick<Rights, 'tools'>): boolean {
  return tools !== 'all'
}

import { z } from 'zod'
import type { Operation } from '../../base/operation/operation.ts'
import { contracts, type OperationName, operationNames } from '../../features/contracts.ts'
import { isRestricted, may } from '../../kernel/call/policy.ts'
import { type Principal, rolesOf } from '../../kernel/call/principal.ts'

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly annotations: Readonly<Record<string, boolean | string>>
  readonly _meta: Readonly<Record<string, unknown>>
}

/** Newer versions of Claude Code hide tools behind a search, except tools with this flag. */
const alwaysLoad = { 'anthropic/alwaysLoad': true }

/**
 * Fields that agents do not see. An agent's connection says who the agent is, a key is for programs that may repeat a
 * call, and an agent's asks count against the budget of its asker.
 */
const unlistedForAgents = ['fromTeam', 'idempotencyKey', 'budget']
/**
 * Fields that a program with its own token does not see, because the token says who the program is. The program itself
 * decides about the other optional fields.
 */
const unlistedForNamed = ['fromTeam']

type Keyword = keyof z.core.JSONSchema.BaseSchema

/**
 * Constraints that are left out of the tool list, where they would cost tokens. The check of the input explains a
 * violation.
 */
const bounds: readonly Keyword[] = [
  ...(['pattern', 'format', 'minLength', 'maxLength', 'propertyNames', 'additionalProperties'] as const),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems'] as const),
]

/** Any result may have an additional field `answersWaiting`, so outputs are open. */
const ofOutput: readonly Keyword[] = ['pattern', 'minimum', 'maximum', 'additionalProperties']

/**
 * The tools for this kind of caller, made from the contracts. They are the same in every session, so that the prefix in
 * the model's prompt cache is stable.
 */
export function toolsFor(
  kind: Principal['kind'],
  { isSessionEndpoint = false, isLimited = false, isInChat = false }: Place = {},
): readonly Tool[] {
  const shown = made(kind, () => tools(kind))
  const ofChat = isInChat ? made('in chats', () => agentTools(isForChats)) : []
  if (isLimited) return [...shown.filter(({ name }) => may(name as OperationName, limited)), ...ofChat]
  const ofEndpoint = isSessionEndpoint ? made('on the session endpoint', () => agentTools(isForClaudeCode)) : []
  return [...shown, ...ofChat, ...ofEndpoint]
}

interface Place {
  readonly isSessionEndpoint?: boolean | undefined
  readonly isLimited?: boolean | undefined
  /** Whether the asker is a chat. */
  readonly isInChat?: boolean | undefined
}

/** Stands for any agent that answers with a role that has fewer rights than its team. */
const limited = { id: '', roles: rolesOf.agent, limitedTo: '' }

/**
 * Lists that somebody has asked for. Making all of them at the start would take nearly a tenth of the daemon's start
 * time.
 */
const lists = new Map<string, readonly Tool[]>()

function made(list: string, make: () => readonly Tool[]): readonly Tool[] {
  const tools = lists.get(list) ?? make()
  lists.set(list, tools)
  return tools
}

function agentTools(fits: (name: OperationName) => boolean): readonly Tool[] {
  return operationNames.filter(fits).map((name) => tool(contracts[name], 'agent'))
}

function tools(kind: Principal['kind']): readonly Tool[] {
  if (kind === 'viewer') return []
  return operationNames
    .filter((name) => may(name, { id: kind, roles: rolesOf[kind] }) && isTool(name, kind))
    .map((name) => tool(contracts[name], kind))
}

function tool(operation: Operation, kind: Principal['kind']): Tool {
  const { name, title, description, output, readOnly, destructive = false, forClaudeCode = false } = operation
  const unlisted = [...(operation.unlisted ?? []), ...unlistedFor(kind, operation)]
  const listed = Object.entries(operation.input.shape).filter(([field]) => !unlisted.includes(field))
  const isDescribed = operation.fieldsOf === undefined
  const annotations = {
    title,
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: readOnly,
    openWorldHint: false,
  }
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(
      z.object(Object.fromEntries(listed)),
      'input',
      isDescribed ? bounds : [...bounds, 'description'],
    ),
    ...(!forClaudeCode && { outputSchema: schemaOf(output, 'output', ofOutput) }),
    annotations,
    _meta: alwaysLoad,
  }
}

function unlistedFor(kind: Principal['kind'], operation: Operation): readonly string[] {
  if (kind === 'named') return unlistedForNamed
  return isRestricted({ roles: rolesOf[kind] }) ? [...unlistedForAgents, ...(operation.unlistedForAgents ?? [])] : []
}

function isForChats(name: OperationName): boolean {
  const { inChats: isOne = false }: Operation = contracts[name]
  return isOne
}

export function isForClaudeCode(name: OperationName): boolean {
  const { forClaudeCode = false }: Operation = contracts[name]
  return forClaudeCode
}

function isTool(name: OperationName, kind: Principal['kind']): boolean {
  const { isTool = true, onlyAgents = false }: Operation = contracts[name]
  return isTool && !isForClaudeCode(name) && !isForChats(name) && (!onlyAgents || kind === 'agent')
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output', left: readonly Keyword[]): Tool['inputSchema'] {
  const json = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      for (const keyword of left) delete jsonSchema[keyword]
    },
  })
  delete json.$schema
  return { ...json, type: 'object' }
}

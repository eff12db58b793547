import { Server, type ServerContext } from '@modelcontextprotocol/server'
import type { Log } from '../lib/log.ts'
import type { Call, Caller, Domain } from '../operations/call.ts'
import { callOperation, isOperation } from '../operations/index.ts'
import { idempotencyMeta } from '../protocol/daemon.ts'
import { IrisError } from '../protocol/error.ts'
import { irisVersion } from '../protocol/version.ts'
import { getPrompt, prompts } from './prompts.ts'
import { toErrorReply, toReply } from './reply.ts'
import { toolsFor } from './tools.ts'

const instructions =
  'Iris connects projects that each have their own Claude Code. list_teams names the projects that can be asked; send_message asks one and returns its answer; message_status collects the answer of an earlier message.'

export interface Face {
  readonly domain: Domain
  readonly log: Log
  readonly kind: Caller['kind']
  /** Who calls with this request. */
  readonly callerOf: (context: ServerContext) => Caller
}

/** Iris as an MCP server for one kind of caller: translates, decides nothing. Prompts are for people at a client. */
export function createMcpServer(face: Face): Server {
  const offersPrompts = face.kind !== 'agent'
  const server = new Server(
    { name: 'iris', title: 'Iris', version: irisVersion },
    { capabilities: { tools: {}, ...(offersPrompts && { prompts: {} }) }, instructions },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...toolsFor(face.kind)] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      if (!isOperation(params.name))
        throw new IrisError('invalid_input', `There is no tool "${params.name}".`, 'See tools/list.')
      return toReply(await callOperation(params.name, params.arguments, callOf(face, context), face.domain))
    } catch (error) {
      if (!(error instanceof IrisError)) face.log.error(`tool ${params.name} failed: ${describe(error)}`)
      return toErrorReply(error)
    }
  })
  if (offersPrompts) {
    server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts] }))
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      getPrompt(params, callOf(face, context), face.domain, face.log),
    )
  }
  return server
}

function callOf(face: Face, context: ServerContext): Call {
  const meta = context.mcpReq._meta
  const token = meta?.progressToken
  const key = meta?.[idempotencyMeta]
  let progress = 0
  return {
    caller: face.callerOf(context),
    signal: context.mcpReq.signal,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    progress: ({ message }) => {
      if (token === undefined) return
      progress += 1
      const params = { progressToken: token, progress, message }
      // A client that has gone hears nothing more; its turn goes on.
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

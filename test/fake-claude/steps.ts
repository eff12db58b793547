import { acts } from './acts.ts'
import { startBackgroundAgent, startBackgroundTask } from './background-task.ts'
import { failRequest } from './fail-request.ts'
import type { ActValues, SpeechValues, Step } from './script.ts'
import { fillTemplate } from './template.ts'
import { mcpOutput, type ToolOutput, useTool } from './tool.ts'
import type { Turn } from './turn.ts'

type Performers<Values> = { [K in keyof Values]: (value: Values[K], turn: Turn) => void | Promise<void> }

/** One line a kind of step: what the model says and how the turn ends. */
const speech: Performers<SpeechValues> = {
  text: (text, turn) => {
    turn.answer = turn.speech.text(filled(text, turn))
  },
  partial: (text, turn) => turn.speech.partial(filled(text, turn)),
  thinking: (text, turn) => turn.speech.thinking(filled(text, turn)),
  tool: ({ name, input = {}, output = '', isError = false, during = [] }, turn) => {
    const run = async (): Promise<ToolOutput> => {
      for (const act of during) await perform(act, turn)
      return { content: filled(output, turn), isError }
    }
    return useTool(turn, { name, input, run })
  },
  mcpCall: ({ server = 'iris', name, arguments: input = {} }, turn) => callMcp(turn, server, name, input),
  apiRetry: ({ attempt = 1, maxRetries = 10, delayMs = 500, status, error }, { session }) =>
    session.voice.extra({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: maxRetries,
      retry_delay_ms: delayMs,
      error_status: status,
      error,
    }),
  apiFailure: ({ status, message, error = 'api_error' }, turn) => failRequest(turn, status, error, message),
  result: (fields, turn) => {
    turn.overrides = fields
  },
  noResult: (_, turn) => {
    turn.resultCopies = 0
  },
  duplicateResult: (_, turn) => {
    turn.resultCopies = 2
  },
  backgroundTask: (task, turn) => startBackgroundTask(turn, task),
  backgroundAgent: (agent, turn) => startBackgroundAgent(turn, agent),
  model: async (_, turn) => (await import('./model.ts')).followModel(turn),
  unsolicitedTurn: ({ prompt }, { queue }) => queue.addUnsolicited(prompt),
}

const performers = { ...acts, ...speech }

export async function perform(step: Step, turn: Turn): Promise<void> {
  turn.check()
  const [kind, value] = onlyEntry(step)
  await performers[kind](value as never, turn)
}

export function isAct(step: Step): boolean {
  return onlyEntry(step)[0] in acts
}

function onlyEntry(step: Step): [keyof ActValues | keyof SpeechValues, unknown] {
  const [entry] = Object.entries(step)
  if (entry === undefined || !(entry[0] in performers)) throw new Error(`no such step: ${JSON.stringify(step)}`)
  return entry as [keyof ActValues | keyof SpeechValues, unknown]
}

function filled(text: string, { session, message, lastToolResult }: Turn): string {
  return fillTemplate(text, { message, turns: session.turns, lastToolResult, sessionId: session.id })
}

function callMcp(turn: Turn, server: string, name: string, input: Record<string, unknown>): Promise<void> {
  const client = turn.session.servers.get(server)
  return useTool(turn, {
    name: `mcp__${server}__${name}`,
    input,
    run: async (use) => {
      if (client === undefined) throw new Error(`No such tool available: mcp__${server}__${name}`)
      return mcpOutput(await client.call(name, use.input, use.id))
    },
  })
}

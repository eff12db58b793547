import { performance } from 'node:perf_hooks'
import { type ServerCommand, StdioClient } from '../../adapters/client/stdio-client.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import { checkConversation, closingWords, type Exchange } from './demo-report.ts'
import { type DemoWorld, type Environment, makeDemoWorld } from './demo-world.ts'
import type { Guard } from './guard.ts'
import { portSchema, questions, sampleScript } from './sample-script.ts'
import { startScriptedModel } from './scripted-model.ts'

export interface DemoParts {
  /** Whether to use the person's own login and the real model instead of the scripted one. */
  readonly live: boolean
  /** The person's environment. */
  readonly env: Environment
  /** The command `iris mcp`. */
  readonly bridge: Pick<ServerCommand, 'command' | 'args' | 'onSpawn'>
  /** Ends what the demo starts if the demo is killed. */
  readonly guard: Pick<Guard, 'watch' | 'watchAllOf'>
  readonly startDaemon: (home: string, env: Environment) => Promise<{ readonly pid: number; readonly port: number }>
  /** Ends the daemon without waiting for what runs. */
  readonly stopDaemon: (home: string) => Promise<unknown>
  readonly say: (line: string) => void
  /** Ends the demo early; it cleans up anyway. */
  readonly signal: AbortSignal
}

/** What was asked and answered, for programs. */
export interface DemoOutcome {
  /** The directory with everything that the demo wrote. */
  readonly directory: string
  readonly exchanges: readonly {
    readonly question: string
    readonly response: string | undefined
    readonly ms: number
  }[]
}

/**
 * The main job on two sample projects: `frontend` asks `backend` through MCP, first without a process, then with an
 * idle one, then with one asleep. Throws when an answer is wrong. Everything it started has ended before it returns or
 * throws; the directory stays.
 */
export async function runDemo(parts: DemoParts): Promise<DemoOutcome> {
  const { live, env, say, signal } = parts
  const model = live ? undefined : await startScriptedModel({ script: sampleScript })
  const world = makeDemoWorld(env, model?.url)
  try {
    if (model) say(`Scripted model   ${model.url}`)
    const exchanges = await withDaemon(world, parts)
    checkConversation(world, exchanges, live)
    for (const line of closingWords(world, exchanges, live)) say(line)
    const shown = exchanges.map(({ question, result, ms }) => ({
      question,
      response: result.response,
      ms: Math.round(ms),
    }))
    return { directory: world.root, exchanges: shown }
  } catch (error) {
    throw reasonOf(error, signal, world.root)
  } finally {
    await model?.close()
  }
}

/** Why a demo failed: whatever fails after the person's Ctrl-C fails because of it. */
export function reasonOf(error: unknown, signal: AbortSignal, directory: string): unknown {
  if (!signal.aborted) return error
  return new IrisError('internal', 'The demo was interrupted.', `What it wrote is in ${directory}.`)
}

async function withDaemon(world: DemoWorld, parts: DemoParts): Promise<Exchange[]> {
  const { startDaemon, stopDaemon, say } = parts
  try {
    const { pid, port } = await startDaemon(world.home, world.env)
    say(`Iris daemon      pid ${pid}, port ${port}`)
    return await withBridge(world, parts)
  } finally {
    await stopDaemon(world.home)
  }
}

async function withBridge(world: DemoWorld, { bridge, say, signal }: DemoParts): Promise<Exchange[]> {
  signal.throwIfAborted()
  const { frontend } = world.projects
  const client = await StdioClient.start({
    ...bridge,
    cwd: frontend,
    env: { ...world.env, CLAUDE_PROJECT_DIR: frontend },
  })
  // The end of the client ends calls that wait for an answer.
  const abort = (): void => void client.close()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    say(`MCP bridge       started in ${frontend}\n`)
    return await converse(client, say)
  } finally {
    signal.removeEventListener('abort', abort)
    await client.close()
  }
}

async function converse(client: StdioClient, say: (line: string) => void): Promise<Exchange[]> {
  const ask = async (question: string, how: string, responseSchema?: typeof portSchema): Promise<Exchange> => {
    say(`frontend asks     ${question}`)
    const began = performance.now()
    const message = { toTeam: 'backend', message: question, timeout: 0, ...(responseSchema && { responseSchema }) }
    const sent = await client.call('send_message', message)
    // A call for one team returns a TurnResult.
    const result = sent as TurnResult
    const ms = performance.now() - began
    if (result.status !== 'completed') throw notAnswered(result)
    say(`backend answers   ${responseSchema ? JSON.stringify(result.value) : result.response}`)
    say(`                  ${seconds(ms)}, ${how}\n`)
    return { question, result, ms }
  }
  const cold = await ask(questions.first, 'cold: Claude Code had to be started')
  const warm = await ask(questions.second, 'warm: its process was waiting')
  await client.call('team_sleep', { team: 'backend' })
  say('backend is put to sleep: its process ends, the conversation stays.\n')
  const resumed = await ask(questions.third, 'resumed: a new process took the conversation up')
  const typed = await ask(questions.fourth, 'typed: a value that meets a schema', portSchema)
  return [cold, warm, resumed, typed]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function notAnswered({ status, reason, detail }: TurnResult): IrisError {
  const why = detail ?? reason ?? 'no reason given'
  return reason === 'spawn_failed'
    ? new IrisError('claude_not_found', why, 'The demo needs Claude Code: npm install -g @anthropic-ai/claude-code.')
    : new IrisError('internal', `The question was not answered: ${status} (${why}).`, 'See the daemon log.')
}

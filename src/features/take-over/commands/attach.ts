import { spawn } from 'node:child_process'
import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { endOf } from '../../../app/cli/ask/follow-turn.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { Hold } from './hold.ts'

type Place = Output<'session_attach'>

/** Opens the conversation in the person's own Claude Code; Iris gets it back when that ends. */
export async function attach({ context, env, input, options, json }: Given): Promise<number | undefined> {
  if (json) {
    context.sayJson(await ownerCall(context, 'session_attach', input as Input<'session_attach'>))
    return undefined
  }
  if (!context.isInteractive) {
    const remedy = 'Run it in a terminal, or use --json to see what to start yourself.'
    throw new IrisError('invalid_input', 'You need a terminal to take over a conversation.', remedy)
  }
  const place = await whenAnswered(context, input, options['now'] === true)
  if (place === undefined) return interrupted
  const hold = new Hold(env, place.sessionId)
  try {
    context.note(`${shownPair(place)} is yours until you leave it with /exit; messages to it wait.`)
    const exitCode = await runClaude(context, place)
    for (const line of await hold.ended()) context.say(line)
    return exitCode
  } finally {
    hold.stop()
  }
}

/**
 * Waits until a running message is answered, because a claude that was opened earlier would not know the answer.
 * Returns undefined if the person left.
 */
async function whenAnswered(
  context: CommandContext,
  input: Input<'session_attach'>,
  now: boolean,
): Promise<Place | undefined> {
  const left = new AbortController()
  const leave = (): void => left.abort()
  const endListening = context.onSignal('SIGINT', leave)
  try {
    for (;;) {
      const place = await ownerCall(context, 'session_attach', input)
      const { runningTurnId } = place
      if (runningTurnId === undefined || now) return place
      context.note(
        `Message ${shortId(runningTurnId)} is being answered; you get the conversation afterwards. Press Ctrl-C to stop waiting.`,
      )
      await endOf(context, { turnId: runningTurnId }, { timeoutMs: 0, signal: left.signal })
    }
  } catch (error) {
    if (left.signal.aborted) return undefined
    throw error
  } finally {
    endListening()
  }
}

/** Runs claude in the person's own terminal and environment; resolves with its exit code. */
async function runClaude(context: CommandContext, place: Place): Promise<number> {
  const { env } = context
  const {
    command: [executable = 'claude', ...args],
    directory,
  } = place
  const more = { ...place.env, ...(await loginOf(place, env)) }
  // Ctrl-C is for Claude Code, which shares the terminal.
  const endIgnoring = context.onSignal('SIGINT', () => {})
  const child = spawn(executable, args, { cwd: directory, env: { ...env, ...more }, stdio: 'inherit' })
  return new Promise<number>((resolve, reject) => {
    child.on('error', (cause) => reject(notStarted(executable, cause)))
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 0 : 1)))
  }).finally(endIgnoring)
}

/** Read here, so that no other program gets the token. Throws `account_unusable`. */
async function loginOf({ tokenFile }: Place, env: Environment): Promise<Environment> {
  if (tokenFile === undefined) return {}
  const found = await channelToken({ tokenFile }, '/', env)
  if ('token' in found) return { CLAUDE_CODE_OAUTH_TOKEN: found.token }
  const what = `The account of this team cannot be used: ${found.problem}.`
  throw new IrisError(
    'account_unusable',
    what,
    'Correct account in config.yaml, or write the token that "claude setup-token" prints into the file.',
  )
}

function notStarted(executable: string, cause: Error): IrisError {
  const what = `${executable} could not be started (${(cause as NodeJS.ErrnoException).code ?? cause.message}).`
  return new IrisError('claude_not_found', what, 'Install Claude Code, or put it on your PATH.', { cause })
}

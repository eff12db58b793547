import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { utf8Of } from '../../../base/lib/utf8.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { TurnResult } from '../../../base/protocol/turn.ts'
import { maxTimeoutMs } from '../../../features/messages/contract/messages.ts'
import { attachedFiles, readWhole } from '../ask/attached-files.ts'
import { openLiveLine } from '../ask/live-line.ts'
import { sendMessage } from '../ask/send-message.ts'
import { limitNote, showAnswer } from '../ask/show-answer.ts'
import { showAnswers } from '../ask/show-answers.ts'
import { speakerText, usualSpeaker } from '../ask/speaker.ts'
import { chosenTeam } from '../ask/team-choice.ts'
import type { CommandContext } from '../context.ts'
import { interrupted, notAnswered } from '../exit-code.ts'
import { processTag } from '../inside-agent.ts'
import { localTime } from '../moment.ts'
import { askText } from '../prompt.ts'
import type { Given } from '../table/spec.ts'

/**
 * The highest value that `settings.maxMessageBytes` can have. The daemon checks shorter texts, because it knows the
 * limit in force.
 */
const maxOfText = 16_777_216

type Message = Input<'send_message'>

/**
 * Refuses a wrong timeout now: since the message is sent without a wait, the daemon would refuse the timeout only after
 * accepting the message.
 */
function refuseTimeout(timeout: number): void {
  if (timeout >= -1 && timeout <= maxTimeoutMs) return
  const remedy = 'Use at most 1h; 0 waits until there is an answer, -1 does not wait.'
  throw new IrisError('timeout_out_of_range', `A timeout of ${timeout} ms is not possible. Nothing was sent.`, remedy)
}

/** Asks a team and shows the answer as it grows. */
export async function tell({ context, input, options, json }: Given): Promise<number | undefined> {
  const { timeout = 0, ...given } = input as Partial<Message>
  refuseTimeout(timeout)
  const named = given.toTeam ?? (await chosenTeam(context))
  if (named === undefined) return interrupted
  const toTeam = typeof named === 'string' && named.includes(',') ? named.split(',') : named
  const message = await messageOf(
    context,
    given.message,
    options['file'] as string | undefined,
    `What do you want to say to ${[toTeam].flat().join(', ')}?`,
  )
  if (message === undefined) return interrupted
  const isAsync = options['async'] === true || timeout === -1
  const responseSchema = await schemaOf(context, options['schema'] as string | undefined)
  const attachments = await attachedFiles(context, options['attach'] as readonly string[] | undefined)
  using screen = openLiveLine(context, json)
  screen?.shows(() => `asking ${[toTeam].flat().join(', ')}`)
  const fromTeam = given.fromTeam ?? (await usualSpeaker(context, typeof toTeam === 'string' ? toTeam : ''))
  if (fromTeam !== undefined && given.fromTeam === undefined) context.aside(speakerText(fromTeam))
  const asked = {
    ...given,
    ...((given.at ?? given.every) !== undefined && { timeZone: given.timeZone ?? ownZone() }),
    toTeam,
    message,
    ...(responseSchema && { responseSchema }),
    ...(attachments && { attachments }),
  }
  const sent = await sendMessage(context, {
    ...asked,
    ...(fromTeam !== undefined && { fromTeam }),
    ...(timeout > 0 && !isAsync && { patience: timeout }),
    ...keyIn(options['key']),
  })
  if (sent.status === 'scheduled') {
    showScheduled(context, sent, json)
    return undefined
  }
  if (sent.results) return await showAnswers(context, sent.results, { timeoutMs: timeout, json, isAsync })
  const accepted = sent as TurnResult
  const { turnId, changes = [] } = accepted
  if (!json || !isAsync) for (const change of changes) context.note(`Note: ${change}`)
  const waitsLong = isAsync || timeout === 0
  if (accepted.limitedUntil !== undefined && waitsLong && !json) context.note(limitNote(accepted))
  if (accepted.kept !== undefined && isAsync && !json) context.note(`Note: ${accepted.kept.note}`)
  if (!isAsync) {
    const code = await showAnswer(context, accepted, { timeoutMs: timeout, json, screen, speaker: accepted.from })
    const hasEnded = code === 0 || code === notAnswered
    const isForPerson = !json && context.stdout.isTTY && context.stderr.isTTY && !context.env[processTag]
    if (hasEnded && isForPerson) context.aside(`iris why ${shortId(turnId)}`)
    return code
  }
  if (json) context.sayJson(accepted)
  else context.say(turnId)
  if (!json) context.note(`Collect the answer with "iris result ${shortId(turnId)}".`)
  return undefined
}

function showScheduled(context: CommandContext, sent: Output<'send_message'>, json: boolean): void {
  if (json) return context.sayJson(sent)
  for (const { to, scheduleId, nextAt = 0, ...rest } of sent.results ?? [sent]) {
    if (scheduleId === undefined) {
      if ('error' in rest) context.note(`${to}: ${rest.error?.message} ${rest.error?.remedy}`)
      continue
    }
    context.say(scheduleId)
    context.note(`${to} gets it at ${localTime(nextAt)}. "iris schedules" lists it.`)
  }
}

/**
 * The typed text, followed by the file's content; asks for a text if there is neither. Undefined when the person left.
 */
async function messageOf(
  context: CommandContext,
  typed: string | undefined,
  file: string | undefined,
  question: string,
): Promise<string | undefined> {
  const written = file === undefined ? undefined : await contentOf(context, file)
  if (typed !== undefined || written !== undefined)
    return [typed, written].filter((each) => each !== undefined).join('\n\n')
  if (!context.isInteractive) throw missing('No message was given.')
  return askText(context, question)
}

async function schemaOf(
  context: CommandContext,
  path: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (path === undefined) return undefined
  try {
    const schema: unknown = JSON.parse(await contentOf(context, path))
    if (isRecord(schema)) return schema
  } catch (error) {
    if (error instanceof IrisError) throw error
  }
  throw new IrisError('invalid_input', `${nameOf(path)} is not a JSON object.`, 'The file must contain a JSON Schema.')
}

async function contentOf(context: CommandContext, path: string): Promise<string> {
  const text = utf8Of(await readWhole(context, path, maxOfText, textTooLarge))
  if (text !== undefined) return text
  throw new IrisError(
    'invalid_input',
    `${nameOf(path)} is not UTF-8 text.`,
    'Convert it first, for example with iconv.',
  )
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path
}

function textTooLarge(path: string): IrisError {
  const what = `${path} is larger than ${maxOfText} bytes, the limit for a message.`
  return new IrisError('invalid_input', what, 'Shorten it, or attach the file with --attach.')
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function missing(what: string): IrisError {
  return new IrisError(
    'invalid_input',
    what,
    'Add it: iris tell <team> <message>, or use --file - to read it from stdin.',
  )
}

/** A job whose variable is empty must not share its key with all other such jobs. */
function keyIn(key: unknown): { readonly idempotencyKey?: string } {
  if (key === undefined) return {}
  if (typeof key === 'string' && key.trim() !== '') return { idempotencyKey: key }
  throw new IrisError(
    'invalid_input',
    'The text after --key is empty.',
    'Give each job its own key, or leave --key out.',
  )
}

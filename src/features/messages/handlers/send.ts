import type { z } from 'zod'
import { uuidOf } from '../../../base/lib/uuid-of.ts'
import type { Budget } from '../../../base/protocol/budget.ts'
import { IrisError, toIrisError } from '../../../base/protocol/error.ts'
import { mainThread } from '../../../base/protocol/pair.ts'
import { statusOfAll } from '../../../base/protocol/status-of-all.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import { askerOf, mustMayAsk } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type AttachedFilesParts, attachedFiles } from '../../attachments/handlers/attached-files.ts'
import { type LiveParts, replyLive } from '../../live/handlers.ts'
import { everyTeam, type SendInput, type sendMessage } from '../contract/messages.ts'
import { callKey, sendToOne } from './messages.ts'
import { isForLater, type SendLaterParts, scheduleOne } from './send-later.ts'

/** The dependencies of these operations. */
export type SendParts = LiveParts & AttachedFilesParts & SendLaterParts

type Output = z.output<typeof sendMessage.output>
type Result = NonNullable<Output['results']>[number]

const maxTeams = 100

/** send_message, ask_message, and quick_message with a timeout of -1: to one team, to several, or to all others. */
export async function send(input: SendInput, call: Call, parts: SendParts): Promise<Output> {
  const { toTeam } = input
  if (input.inReplyTo !== undefined) return replyLive(input, input.inReplyTo, call, parts)
  if (input.timeZone !== undefined && !isForLater(input))
    throw new IrisError(
      'invalid_input',
      'You gave a time zone, but no time.',
      'Add at (in a terminal --at), or leave the time zone out.',
    )
  if (input.selfContained === true && input.fresh !== 'ifChanged')
    throw new IrisError(
      'invalid_input',
      'selfContained only applies with fresh: ifChanged, which this message does not have.',
      'Add fresh: ifChanged (in a terminal --fresh ifChanged), or leave selfContained out.',
    )
  // The files are read once, whatever the number of teams.
  let read: ReturnType<typeof attachedFiles> | undefined
  const files = () => (read ??= attachedFiles(input, call, parts))
  if (typeof toTeam === 'string' && toTeam !== everyTeam) {
    const one = { ...input, toTeam }
    return isForLater(input) ? scheduleOne(one, call, parts) : sendToOne(one, files, call, parts)
  }
  const teams = teamsOf(input, call, parts)
  const shared = input.budget && sharedBudget(input.budget, teams.length, input, call, parts)
  let ended = 0
  const results = await Promise.all(
    teams.map(async (team): Promise<Result> => {
      const own: Call = {
        ...call,
        progress: (progress) => call.progress({ ...progress, message: `${team}: ${progress.message}` }),
      }
      const keySuffix = `\0${team}`
      // Another host knows only the budget of the message itself.
      const budget = parts.cluster.hosts.hostOf(team) === undefined ? undefined : input.budget
      const sent: Promise<Result> = isForLater(input)
        ? scheduleOne({ ...input, toTeam: team }, own, parts, keySuffix)
        : sendToOne({ ...input, toTeam: team, budget }, files, own, parts, { keySuffix, sharedBudget: shared })
      const result = await sent.catch((error: unknown) => refusal(team, input, error, call, parts))
      ended += 1
      call.progress({ message: `${team}: ${result.status} (${ended} of ${teams.length})` })
      return result
    }),
  )
  return { status: statusOfAll(results), results }
}

/** The teams, each once. Throws before anything is sent: one wrong name makes the whole call invalid. */
function teamsOf({ toTeam, fromTeam }: SendInput, call: Call, { config, cluster: { hosts } }: SendParts): string[] {
  const from = askerOf(call.auth, fromTeam, config())
  const { asks = [...config().teams.keys()] } = call.auth.principal
  const all = typeof toTeam === 'string' ? asks.filter((name) => name !== from) : toTeam
  const teams = [...new Set(all.map((name) => hosts.resolve(name)))]
  mustMayAsk(call.auth, ...teams)
  if (teams.length === 0)
    throw new IrisError('invalid_input', 'toTeam names no team.', 'Name at least one; list_teams has the names.')
  if (teams.length > maxTeams) {
    const what = `toTeam names ${teams.length} teams; a message can go to at most ${maxTeams}.`
    throw new IrisError('invalid_input', what, 'Send it in several calls.')
  }
  for (const team of teams) {
    if (hosts.hostOf(team) === undefined) knownTeam(team, config())
    else hosts.mustOffer(team)
  }
  return teams
}

/** The budget that all messages of the call use together. Throws `invalid_input` if it has too few turns. */
function sharedBudget(budget: Budget, teams: number, input: SendInput, call: Call, parts: SendParts) {
  if (budget.turns !== undefined && budget.turns < teams) {
    const what = `A budget of ${budget.turns} turns is less than one for each of ${teams} teams.`
    throw new IrisError('invalid_input', what, 'Raise it, or name fewer teams.')
  }
  const key = callKey(askerOf(call.auth, input.fromTeam, parts.config()), input.idempotencyKey, call)
  return { id: key === undefined ? parts.newId() : uuidOf(`\0budget\0${key}`), budget }
}

function refusal(
  to: string,
  input: SendInput,
  error: unknown,
  call: Call,
  { config, secrets, log }: SendParts,
): Result {
  if (!(error instanceof IrisError)) log.error(`a message to ${to} failed: ${String(error)}`)
  const { code, message, remedy } = toIrisError(error)
  const from = askerOf(call.auth, input.fromTeam, config())
  const said = { code, message: secrets.hideInText(message), remedy: secrets.hideInText(remedy) }
  return { status: 'refused', from, to, thread: input.thread ?? mainThread, error: said }
}

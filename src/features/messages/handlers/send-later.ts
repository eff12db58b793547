import { uuidOf } from '../../../base/lib/uuid-of.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { isNamed, isRestricted } from '../../../kernel/call/policy.ts'
import { planned } from '../../../kernel/turn/plan.ts'
import type { SchedulesParts } from '../../schedules/handlers/schedules.ts'
import type { SendInput } from '../contract/messages.ts'
import { askFor, callKey, collect, type MessagesParts } from './messages.ts'
import { reportsAtOnce } from './on-change.ts'

/** The dependencies of these operations. */
export type SendLaterParts = MessagesParts & SchedulesParts & { readonly newId: () => string }

/** Whether the message is for later. */
export function isForLater({ at, every }: SendInput): boolean {
  return at !== undefined || every !== undefined
}

/** Schedules a message to one team. `keySuffix` distinguishes the messages of one call. */
export async function scheduleOne(
  input: SendInput & { readonly toTeam: string },
  call: Call,
  parts: SendLaterParts,
  keySuffix = '',
) {
  // This also refuses agents that have no message: programs that an agent left in the background.
  if (isRestricted(call.auth.principal))
    throw new IrisError(
      'not_allowed',
      `${isNamed(call.auth.principal) ? 'Programs with their own token' : 'Agents'} cannot schedule messages.`,
      'Ask the person who owns this Iris.',
    )
  if (input.attachments !== undefined)
    throw new IrisError('invalid_input', 'A scheduled message cannot have files.', 'Write their paths in the message.')
  if (input.callback !== undefined || input.metadata !== undefined)
    throw new IrisError(
      'invalid_input',
      'A scheduled message cannot have a callback.',
      'Leave callback and metadata out.',
    )
  const { clock, newId, schedules } = parts
  const { pair, role, message, budget, responseSchema, whenBusy, priority } = askFor(input, call, parts)
  reportsAtOnce(input, pair.to, parts)
  const timeZone = input.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const key = callKey(pair.from, input.idempotencyKey, call)
  const id = key === undefined ? newId() : uuidOf(`\0schedule\0${key}${keySuffix}`)
  const known = schedules.byId(id)
  const sent = known === undefined && key !== undefined ? await schedules.sentOnce(id) : undefined
  if (sent !== undefined) return collect(sent, { timeout: -1, raw: false }, call, parts)
  const { plan, nextAt } = planned({ at: input.at, every: input.every, timeZone }, clock.now())
  const live = input.deliver === 'live'
  const ask = { pair, role, message, waits: false, budget, responseSchema, whenBusy, priority, live }
  const schedule = known ?? (await schedules.add(id, ask, plan, nextAt))
  return { status: 'scheduled' as const, ...pair, scheduleId: schedule.id, nextAt: schedule.nextAt ?? nextAt }
}

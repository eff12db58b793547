import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { sessionCancel } from '../../conversations/contract/sessions.ts'
import type { listSchedules } from '../contract/schedules.ts'
import type { Schedule, Schedules } from '../schedules.ts'

/** The dependencies of these operations. */
export interface SchedulesParts {
  readonly clock: Pick<Clock, 'now'>
  readonly schedules: Pick<Schedules, 'add' | 'all' | 'byId' | 'cancel' | 'sentOnce'>
}

type Cancelled = z.output<typeof sessionCancel.output>
type View = z.output<typeof listSchedules.output>['schedules'][number]

/** list_schedules */
export function scheduled({ schedules }: Pick<SchedulesParts, 'schedules'>): z.output<typeof listSchedules.output> {
  return { schedules: schedules.all().map(viewOf) }
}

function viewOf({ id, ask, plan, nextAt, lastTurn, problem }: Schedule): View {
  return {
    scheduleId: id,
    from: ask.pair.from,
    to: ask.pair.to,
    thread: ask.pair.thread,
    message: ask.message,
    ...(plan.every !== null && { every: plan.every }),
    timeZone: plan.zone,
    ...(nextAt !== null && { nextAt }),
    ...(lastTurn !== null && { lastTurnId: lastTurn }),
    ...(problem !== null && { problem }),
  }
}

/** session_cancel of a scheduled message. */
export function cancelSchedule({ id, ask: { pair } }: Schedule, { clock, schedules }: SchedulesParts): Cancelled {
  const cancelled = schedules.cancel(id)
  return {
    team: pair.to,
    from: pair.from,
    thread: pair.thread,
    turnId: id,
    attempted: cancelled,
    cancelled,
    processFound: false,
    message: `The scheduled message ${id} was cancelled.`,
    duration: 0,
    timestamp: clock.now(),
  }
}

/** The one schedule whose id begins with `named`. */
export function namedSchedule(named: string, { schedules }: Pick<SchedulesParts, 'schedules'>): Schedule | undefined {
  const [only, ...others] = schedules.all().filter(({ id }) => id.startsWith(named.toLowerCase()))
  return others.length === 0 ? only : undefined
}

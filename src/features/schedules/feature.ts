import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { SchedulePlan } from '../../kernel/turn/plan.ts'
import type { Store } from '../../platform/store/store.ts'
import { date } from './handlers/date.ts'
import { scheduled } from './handlers/schedules.ts'
import { ScheduleRows } from './rows.ts'
import { type ScheduledAsk, Schedules, type SchedulesParts } from './schedules.ts'

interface Needs extends Omit<SchedulesParts, 'rows' | 'log'> {
  readonly clock: Clock
  readonly database: Store
  readonly log: Log
}

/** Messages that are sent at a time, once or again and again. */
export const schedules = feature('schedules', (parts: Needs) => {
  const rows = new ScheduleRows<ScheduledAsk, SchedulePlan>(parts.database)
  const kept = new Schedules({ ...parts, rows, log: parts.log.for('schedules') })
  return {
    gives: { schedules: kept },
    handlers: {
      list_schedules: () => scheduled({ schedules: kept }),
      get_date: () => date(parts.clock.now()),
    },
    begin: () => kept.begin(),
    close: () => kept.close(),
  }
})

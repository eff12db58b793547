import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTime } from '../../../app/cli/moment.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

export function scheduleLines({ schedules }: Output<'list_schedules'>, width: number): readonly string[] {
  if (schedules.length === 0) return ['No message is scheduled. "iris tell backend <message> --at 9:00" schedules one.']
  const rows = schedules.map((schedule) => [
    shortId(schedule.scheduleId),
    shownPair(schedule),
    schedule.nextAt === undefined ? 'ended' : localTime(schedule.nextAt),
    schedule.every === undefined ? 'once' : `every ${schedule.every}`,
    schedule.problem ?? (schedule.lastTurnId === undefined ? '' : shortId(schedule.lastTurnId)),
    plainLine(schedule.message, 60),
  ])
  return columns(width, [['id', 'pair', 'next', 'repeats', 'last', 'message'], ...rows])
}

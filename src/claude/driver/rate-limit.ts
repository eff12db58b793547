import type { Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/** One window of an account's rate limit, as the API reports it; times in milliseconds since the epoch. */
export interface LimitWindow {
  /** `five_hour`, `seven_day`, or a name that a later Claude Code uses. */
  readonly name: string
  readonly isRefused: boolean
  /** 0 to 1, or more if the limit is exceeded. */
  readonly utilization: number
  readonly resetsAt: number
}

/** The windows of a `rate_limit_event`, which a logged-in Claude Code prints; undefined for other lines. */
export function limitWindowsOf(line: Line): readonly LimitWindow[] | undefined {
  const info = line['rate_limit_info']
  if (line.type !== 'rate_limit_event' || !isRecord(info)) return undefined
  const windows = isRecord(info['unifiedWindows']) ? Object.entries(info['unifiedWindows']) : []
  const all = [[String(info['rateLimitType']), { ...info, utilization: 0 }] as const, ...windows]
  return all.flatMap(([name, window]) => {
    if (!isRecord(window) || typeof window['resetsAt'] !== 'number') return []
    const { status, resetsAt, utilization } = window
    return { name, isRefused: status === 'rejected', utilization: Number(utilization) || 0, resetsAt: resetsAt * 1000 }
  })
}

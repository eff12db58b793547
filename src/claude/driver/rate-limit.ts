import { isRecord } from '../../base/lib/is-record.ts'
import type { Line } from './line.ts'

/** One window of an account's limit, as the API told it with an answer; times in milliseconds since the epoch. */
export interface LimitWindow {
  /** `five_hour`, `seven_day`, or what a later Claude Code calls it. */
  readonly name: string
  readonly isRefused: boolean
  /** 0 to 1, and more when it is over. */
  readonly utilization: number
  readonly resetsAt: number
}

/** The windows of a `rate_limit_event`, which Claude Code prints where it is logged in; undefined for any other line. */
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

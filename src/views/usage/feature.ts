import { feature } from '../../kernel/call/feature.ts'
import { overTime, type StatsOverTimeParts } from './handlers/stats-over-time.ts'
import { readUsage, type UsageParts } from './handlers/usage.ts'

/** Tokens, cost and messages, by team and over time. */
export const usage = feature('usage', (parts: StatsOverTimeParts & UsageParts) => ({
  gives: {},
  handlers: {
    get_usage: (input) => readUsage(input, parts),
    stats_over_time: (input) => overTime(input, parts),
  },
}))

import type { z } from 'zod'
import type { findPatterns } from '../../base/protocol/operations/insight.ts'
import type { Domain } from './call.ts'
import { knownParties } from './known-parties.ts'

type Output = z.output<typeof findPatterns.output>

const usualPeriodMs = 30 * 86_400_000

export async function patterns(input: z.output<typeof findPatterns.input>, domain: Domain): Promise<Output> {
  const { team, offsetMinutes = 0 } = input
  knownParties([team], domain)
  const now = domain.clock.now()
  const until = Math.min(input.until ?? now, now)
  const since = Math.min(input.since ?? now - usualPeriodMs, until)
  const found = await domain.insight.patterns({ since, until, team }, offsetMinutes)
  return { since, until, ...(found as Omit<Output, 'since' | 'until' | 'timestamp'>), timestamp: now }
}

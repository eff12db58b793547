import { Hono } from 'hono'
import { IrisError } from '../../../base/protocol/error.ts'
import { isRestricted } from '../../../kernel/call/policy.ts'
import { exposition, expositionType, type Family } from '../../../platform/metrics/exposition.ts'
import type { Routes } from '../routes.ts'

/** `GET /metrics`, as Prometheus reads it: for programs and the owner. */
export function createMetrics(figures: () => Promise<readonly Family[]>): Routes {
  const metrics: Routes = new Hono()
  return metrics.get('/metrics', async (context) => {
    if (isRestricted(context.get('auth').principal)) {
      throw new IrisError('not_allowed', "Agents cannot read Iris's metrics.", 'Ask the person who owns this Iris.')
    }
    return context.body(exposition(await figures()), 200, { 'content-type': expositionType })
  })
}

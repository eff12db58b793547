import { Hono } from 'hono'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Domain } from '../../../kernel/call/call.ts'
import { isRestricted } from '../../../kernel/call/policy.ts'
import { exposition, expositionType } from '../../../platform/metrics/exposition.ts'
import type { Routes } from '../routes.ts'
import { presentFigures } from './present-figures.ts'

/** `GET /metrics`, as Prometheus reads it: for programs and the owner. */
export function createMetrics(domain: Domain): Routes {
  const metrics: Routes = new Hono()
  return metrics.get('/metrics', async (context) => {
    if (isRestricted(context.get('auth').principal)) {
      throw new IrisError(
        'not_allowed',
        'Agents cannot read the figures of Iris.',
        'Ask the person who owns this Iris.',
      )
    }
    const { events, store, calls } = domain.vitals
    const families = [...(await presentFigures(domain)), ...events.families, store.family, calls.family]
    return context.body(exposition(families), 200, { 'content-type': expositionType })
  })
}

import { feature } from '../../kernel/call/feature.ts'
import { type HealthParts, health as shown } from './handlers/health.ts'

/** The health of Iris and of everything that it depends on. */
export const health = feature('health', (parts: HealthParts) => ({
  gives: {},
  handlers: { get_health: () => shown(parts) },
}))

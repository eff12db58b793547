import { feature } from '../../kernel/call/feature.ts'
import { type HealthParts, health as shown } from './handlers/health.ts'

/** Whether Iris and what it depends on are well. */
export const health = feature('health', (parts: HealthParts) => ({
  gives: {},
  handlers: { get_health: () => shown(parts) },
}))

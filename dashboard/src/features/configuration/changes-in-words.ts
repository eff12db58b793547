import type { ConfigChange } from '../../../../src/base/protocol/config-problem.ts'
import { texts } from './texts.ts'

/** "settings.maxProcesses: 4 becomes 12." */
export function inWords({ key, from, to }: ConfigChange): string {
  if (from === null) return texts.isNew(key, shown(to))
  if (to === null) return texts.isRemoved(key, shown(from))
  return texts.becomes(key, shown(from), shown(to))
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

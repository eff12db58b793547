import type { ConfigChange } from '../../../../src/base/protocol/config-problem.ts'

/** "settings.maxProcesses: 4 becomes 12." */
export function inWords({ key, from, to }: ConfigChange): string {
  if (from === null) return `${key}: ${shown(to)} is new.`
  if (to === null) return `${key}: ${shown(from)} is taken away.`
  return `${key}: ${shown(from)} becomes ${shown(to)}.`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const priorities = ['low', 'normal', 'high'] as const
export type Priority = (typeof priorities)[number]

/** -1 low, 0 normal, 1 high. */
export function rankOf(priority: Priority = 'normal'): number {
  return priorities.indexOf(priority) - 1
}

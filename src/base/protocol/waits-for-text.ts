import type { WaitsFor } from './waits-for.ts'

/** What a message waits for and what to do, in one line. */
export function waitsForText({ what, remedy }: Pick<WaitsFor, 'what' | 'remedy'>): string {
  return `${what}: ${remedy}`
}

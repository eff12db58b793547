import { setTimeout as delay } from 'node:timers/promises'

/** How long a test waits for what must come, at most: longer than any loaded machine takes. */
export const deadlineMs = 60_000

/** Looks every 20 ms until there is something: for what announces itself by no event. Fails after `withinMs`. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  withinMs = deadlineMs,
): Promise<T> {
  const late = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > late) throw new Error(`${what}: not within ${withinMs} ms`)
    await delay(20)
  }
}

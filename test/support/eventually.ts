import { setTimeout as delay } from 'node:timers/promises'

/** The bound of every wait in a test. A wait that needs longer waits for several things: wait for one after the other. */
export const deadlineMs = 60_000

/**
 * The condition a test waited for did not come true in time. The gate (test/gate/) distinguishes this failure from
 * every other one.
 */
export class WaitRanOut extends Error {
  override readonly name = 'WaitRanOut'
}

/** Looks every 20 ms until there is something. Only for what announces itself by no event: a file, a process. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
): Promise<T> {
  const late = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > late) throw new WaitRanOut(`${what}: not within ${deadlineMs} ms`)
    await delay(20)
  }
}

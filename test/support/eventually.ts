import { setTimeout as delay } from 'node:timers/promises'

/** What a test waited for did not come in time. The gate (test/gate/) distinguishes this failure from every other one. */
export class WaitRanOut extends Error {
  override readonly name = 'WaitRanOut'
}

/** Looks every 20 ms until there is something: for what announces itself by no event. Fails after `deadlineMs`. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  deadlineMs = 60_000,
): Promise<T> {
  const late = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > late) throw new WaitRanOut(`${what}: not within ${deadlineMs} ms`)
    await delay(20)
  }
}

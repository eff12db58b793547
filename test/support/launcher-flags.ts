import { fileURLToPath } from 'node:url'

/** What `./iris` gives Node: without the kept code each start takes the types out of all of Iris again, most of a second. */
export const launcherFlags = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=30',
  '--require',
  fileURLToPath(new URL('../../scripts/compile-cache.cjs', import.meta.url)),
]

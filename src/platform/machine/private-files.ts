/** Daemons of this process: one, except in tests. */
let daemons = 0
let umask = 0

export interface PrivateFiles {
  /** The umask that the process had before. Programs that a daemon starts get it. */
  readonly umask: number
  readonly restore: () => void
}

/** Makes what this process writes readable for its own user only, until every caller has restored that. */
export function makeFilesPrivate(): PrivateFiles {
  if (daemons === 0) umask = process.umask(0o077)
  daemons += 1
  let isRestored = false
  return {
    umask,
    restore() {
      if (isRestored) return
      isRestored = true
      daemons -= 1
      if (daemons === 0) process.umask(umask)
    },
  }
}

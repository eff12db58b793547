/** How many daemons run in this process: one, except in tests. */
let daemons = 0
let umask = 0

export interface PrivateFiles {
  /** The process's previous umask, which programs started by the daemon get. */
  readonly umask: number
  readonly restore: () => void
}

/** Makes new files of this process readable only by its own user, until every caller has undone this. */
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

import { realpathSync } from 'node:fs'

/** The path with all links resolved; unchanged when nothing exists there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

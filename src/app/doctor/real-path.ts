import { realpathSync } from 'node:fs'

/** With all links resolved; as it is, where there is nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

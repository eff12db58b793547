import { sep } from 'node:path'

/** Whether `path` is `directory` or lies in it, by whole names: `/a/bc` is not in `/a/b`. Both absolute and real. */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

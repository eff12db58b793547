import { sep } from 'node:path'

/**
 * Whether `path` is `directory` or inside it, comparing whole names: `/a/bc` is not in `/a/b`. Both must be absolute
 * real paths.
 */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

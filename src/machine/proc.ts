import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What Iris does not do, or not as surely, where the system has no /proc (macOS, or a container without it); empty where it has. */
export function missingWithoutProc(root = '/proc'): readonly string[] {
  return existsSync(join(root, 'self/stat')) ? [] : missing
}

const missing = [
  'a caller is known by its token alone: a process of an agent that gets hold of a token has the rights of that token',
  'processes that leave their process group, or that a killed daemon left, are neither found nor ended',
  'another process that has got the number of a process that ended counts as that one',
  'the memory that processes take is not measured',
] as const

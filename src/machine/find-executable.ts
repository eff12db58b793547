import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Before what PATH says: an agent may be able to write somewhere in that. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'

/** The first executable of that name in a PATH, absolute. */
export async function findExecutable(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter)) {
    if (!directory.startsWith('/')) continue
    const candidate = join(directory, name)
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return candidate
  }
  return undefined
}

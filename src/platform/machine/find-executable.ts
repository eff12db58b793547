import { access, constants, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Searched before PATH, because an agent may be able to write in a directory of PATH. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'

/** The absolute path of a program: `name` itself if it is absolute, otherwise the first with that name in a PATH. */
export async function findExecutable(name: string, path: string): Promise<string | undefined> {
  const places = name.startsWith('/') ? [name] : path.split(delimiter).map((directory) => join(directory, name))
  for (const place of places) if (place.startsWith('/') && (await isExecutable(place))) return place
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

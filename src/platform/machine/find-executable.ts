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

/** Directories of a project's tools, which may hold a package's stub without its program. */
export function isOfProject(directory: string): boolean {
  return directory.endsWith('/node_modules/.bin')
}

/** A sentence for an error about a program that is only in such a directory of PATH; empty if it is in none. */
export async function skippedText(name: string, path: string): Promise<string> {
  const places = path.split(delimiter).filter(isOfProject)
  const skipped = name.includes('/') ? undefined : await findExecutable(name, places.join(delimiter))
  return skipped === undefined ? '' : ` Iris does not use ${skipped}: it belongs to a project, as one of its tools.`
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

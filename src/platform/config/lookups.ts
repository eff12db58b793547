import { readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'

/** A name that is looked up in a directory, on the way to a file. `directory` is a real path. */
export interface Lookup {
  readonly directory: string
  readonly name: string
}

/** As many links as Linux follows. */
const mostLinks = 40

/**
 * Every lookup by which the system finds an absolute path, links on the way included: only a change at one of them can
 * change what the path leads to. Ends where something is missing. Each is given before the disk is asked for it.
 */
export function* lookupsOf(path: string): Generator<Lookup> {
  const rest = namesOf(path)
  let directory = parse(path).root
  let links = 0
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '..') {
      directory = dirname(directory)
      continue
    }
    yield { directory, name }
    const found = join(directory, name)
    const target = linkTarget(found)
    if (target === 'missing') return
    if (target === 'no link') directory = found
    else {
      links += 1
      if (links > mostLinks) return
      rest.unshift(...namesOf(target.path))
      if (isAbsolute(target.path)) directory = parse(target.path).root
    }
  }
}

function linkTarget(path: string): { readonly path: string } | 'no link' | 'missing' {
  try {
    return { path: readlinkSync(path) }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL' ? 'no link' : 'missing'
  }
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.')
}

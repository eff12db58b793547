import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Every file and link below a directory, with its rights and what it says; directories are left out, no link is followed. */
export function fileTree(root: string, without: (path: string) => boolean = () => false): Record<string, string> {
  const kept = namesBelow(root, '').filter((name) => !without(name))
  return Object.fromEntries(kept.toSorted().map((name) => [name, contentOf(join(root, name))]))
}

function namesBelow(root: string, directory: string): readonly string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const name = join(directory, entry.name)
    return entry.isDirectory() ? namesBelow(root, name) : [name]
  })
}

function contentOf(path: string): string {
  const facts = lstatSync(path)
  if (facts.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return facts.isFile() ? `${(facts.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}` : 'no file'
}

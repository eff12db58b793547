import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Every file and link below a directory, with its rights and what it says; directories are left out. */
export function fileTree(root: string, without: (path: string) => boolean = () => false): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const kept = names.filter((name) => !without(name) && !lstatSync(join(root, name)).isDirectory())
  return Object.fromEntries(kept.toSorted().map((name) => [name, contentOf(join(root, name))]))
}

function contentOf(path: string): string {
  const facts = lstatSync(path)
  if (facts.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return facts.isFile() ? `${(facts.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}` : 'no file'
}

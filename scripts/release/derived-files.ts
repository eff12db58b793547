import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** package.json is where the name and the version are decided. */
interface Manifest {
  readonly name: string
  readonly version: string
  /** Its name in the MCP registry. */
  readonly mcpName: string
}

type Rewrite = (text: string, manifest: Manifest) => string

/** The files that repeat them, and how each is written. */
const rewrites: Readonly<Record<string, Rewrite>> = {
  'package-lock.json': (text, { name, version }) =>
    twice(twice(text, /"name": "[^"]*"/, `"name": "${name}"`), /"version": "[^"]*"/, `"version": "${version}"`),
  'plugin/.claude-plugin/plugin.json': (text, { version }) =>
    text.replace(/"version": "[^"]*"/, `"version": "${version}"`),
  'server.json': (text, { name, version, mcpName }) =>
    text
      .replace(/"name": "[^"]*"/, `"name": "${mcpName}"`)
      .replaceAll(/"version": "[^"]*"/g, `"version": "${version}"`)
      .replace(/"identifier": "[^"]*"/, `"identifier": "${name}"`),
  'src/base/protocol/version.ts': (text, { version }) =>
    text.replace(/irisVersion = '[^']*'/, `irisVersion = '${version}'`),
}

/** The lock file says them of itself and of the package at its root. */
function twice(text: string, pattern: RegExp, replacement: string): string {
  let count = 0
  return text.replaceAll(new RegExp(pattern, 'g'), (match) => (++count <= 2 ? replacement : match))
}

function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}

/** The files that say something else than package.json. */
export function outdatedFiles(root: string): readonly string[] {
  const manifest = readManifest(root)
  return Object.entries(rewrites).flatMap(([path, rewrite]) => {
    const text = readFileSync(join(root, path), 'utf8')
    return rewrite(text, manifest) === text ? [] : [path]
  })
}

export function writeDerivedFiles(root: string): void {
  const manifest = readManifest(root)
  for (const [path, rewrite] of Object.entries(rewrites)) {
    const file = join(root, path)
    writeFileSync(file, rewrite(readFileSync(file, 'utf8'), manifest))
  }
}

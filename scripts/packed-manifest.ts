import { existsSync, linkSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * While npm packs, package.json is the one of the package: without what only a checkout needs, such as the Node that it
 * brings itself. npm has no field for that. `--put-back` makes it the checkout's again.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = join(root, 'package.json')
const kept = join(root, '.package.json')
const ofTheCheckout = ['private', 'allowScripts', 'optionalDependencies', 'devDependencies']

function replace(): void {
  const all = Object.entries(JSON.parse(readFileSync(manifest, 'utf8')))
  const packed = Object.fromEntries(all.filter(([name]) => !ofTheCheckout.includes(name)))
  const made = join(root, `.package.json.${process.pid}`)
  writeFileSync(made, `${JSON.stringify(packed, null, 2)}\n`)
  linkSync(manifest, kept)
  renameSync(made, manifest)
}

/** Also after a run that was interrupted: the scripts stay in the package so that npm can be told to try again. */
function putBack(): void {
  if (existsSync(kept)) renameSync(kept, manifest)
}

putBack()
if (process.argv[2] !== '--put-back') replace()

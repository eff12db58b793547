import { writeFileSync } from 'node:fs'
import { irisVersion } from '../src/base/protocol/version.ts'
import { descriptionFile, descriptionText, digests, releasedFile } from './openapi-files.ts'

// Writes docs/openapi.json; with --released also what the released version described, for the test of the changelog.
const root = new URL('../', import.meta.url)
writeFileSync(new URL(descriptionFile, root), descriptionText)
if (process.argv.includes('--released')) {
  const released = { version: irisVersion, operations: digests() }
  writeFileSync(new URL(releasedFile, root), `${JSON.stringify(released, null, 1)}\n`)
}

import { readFileSync, writeFileSync } from 'node:fs'
import { irisVersion } from '../src/base/protocol/version.ts'
import { schemaFile, wholeSchema } from '../test/stores/whole-schema.ts'
import { withRights } from '../test/support/rights-table.ts'
import { clientTypes, typesFile } from './client-types.ts'
import { descriptionFile, descriptionText, digests, releasedFile } from './openapi-files.ts'

// Writes the files that follow from the contracts of the operations and from the migrations; with --released also what
// the released version described, for the test of the changelog.
const pathOf = (file: string): URL => new URL(`../${file}`, import.meta.url)
const rights = 'docs/guide/rights.md'

writeFileSync(pathOf(descriptionFile), descriptionText)
writeFileSync(pathOf(typesFile), clientTypes(JSON.parse(descriptionText)))
writeFileSync(pathOf(rights), withRights(readFileSync(pathOf(rights), 'utf8')))
writeFileSync(pathOf(schemaFile), wholeSchema())
if (process.argv.includes('--released')) {
  const released = { version: irisVersion, operations: digests() }
  writeFileSync(pathOf(releasedFile), `${JSON.stringify(released, null, 1)}\n`)
}

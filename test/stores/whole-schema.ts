import { DatabaseSync } from 'node:sqlite'
import { migrate, migrations } from '../../src/platform/store/database.ts'
import { schemaOf } from './dump.ts'

export const schemaFile = 'src/platform/store/schema.sql'

/** What all migrations make, in one step: the contents of `schema.sql`. */
export function wholeSchema(): string {
  using database = new DatabaseSync(':memory:')
  const steps = migrations()
  migrate(database, steps)
  const objects = schemaOf(database)
  const tables = objects.filter(({ type }) => type === 'table')
  // A view may need every table.
  const others = objects.filter(({ type }) => type !== 'table')
  const parts = [...tables, ...others].map(({ sql }) => `${sql};`)
  return `-- Written by "npm run generate" from the migrations.\n\n${parts.join('\n\n')}\n\nPRAGMA user_version = ${steps.length};\n`
}

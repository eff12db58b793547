import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { withPath } from '../../base/lib/replace-file.ts'

const firstText = `# Iris loads this when you save it. See docs/guide/configure.md.
teams: {}
`

/** Writes a config.yaml without teams if there is no config.yaml. */
export async function makeFirstConfig(file: string): Promise<void> {
  if (existsSync(file)) return
  makeDirectory(dirname(file))
  await writeFile(file, firstText, { mode: 0o600, flag: 'wx' }).catch((error) => {
    throw withPath(error, file)
  })
}

import { readFileSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'
import { type Environment, homePaths } from './home.ts'
import { loadConfig } from './load.ts'

/**
 * Where the store of a home is. With a mistake elsewhere in config.yaml it is in its usual place, unless the file says
 * anything of the database: then throws `config_invalid`.
 */
export async function storePath(home: string, env: Environment): Promise<string> {
  try {
    return (await loadConfig({ home, env })).database.path
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    const { config, database } = homePaths(home)
    if (/database/i.test(textOf(config))) throw error
    return database
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

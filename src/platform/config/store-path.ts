import { IrisError } from '../../base/protocol/error.ts'
import { readConfigText } from './config-text.ts'
import { type Environment, homePaths } from './home.ts'
import { loadConfig } from './load.ts'
import { ProblemList } from './problem.ts'

/**
 * The path of a home's store. If config.yaml has an error, this is the usual place, unless the file mentions the
 * database or cannot be read: in these cases, throws `config_invalid`.
 */
export async function storePath(home: string, env: Environment): Promise<string> {
  try {
    return (await loadConfig({ home, env })).database.path
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    const { config, database } = homePaths(home)
    const text = await readConfigText(config, undefined, new ProblemList(config))
    if (text === undefined || /database/i.test(text ?? '')) throw error
    return database
  }
}

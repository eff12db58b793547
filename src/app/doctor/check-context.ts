import { sha256 } from '../../base/lib/sha256.ts'
import type { DaemonFile } from '../../base/protocol/daemon.ts'
import { IrisError, toIrisError } from '../../base/protocol/error.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Environment, homePaths } from '../../platform/config/home.ts'
import { configOf, loadConfig } from '../../platform/config/load.ts'
import { ProblemList } from '../../platform/config/problem.ts'
import { type Lock, lockOf } from '../../platform/store/lock-state.ts'
import { realPath } from './real-path.ts'
import { maxMs, withTimeLimit } from './time-limit.ts'

export interface Installation {
  /** IRIS_HOME, absolute; it need not exist. */
  readonly home: string
  readonly env: Environment
  /** The daemon of this home, when it answers. */
  readonly daemon: DaemonFile | undefined
}

/** What all checks use. */
export interface CheckContext extends Installation {
  readonly paths: ReturnType<typeof homePaths>
  /** The configuration; the default one when config.yaml cannot be used. */
  readonly config: Config
  /** Why config.yaml cannot be used; undefined when it can. */
  readonly mistake: IrisError | undefined
  readonly lock: Lock
  /** Tags every process that this Iris has started. */
  readonly irisTag: string
}

/**
 * The finding of a check. `fix` applies a safe remedy once and says what it did; undefined when nothing was left to do.
 */
export interface Diagnosis extends Finding {
  readonly fix?: () => Promise<string | undefined>
}

export type Check = (context: CheckContext) => Promise<readonly Diagnosis[]> | readonly Diagnosis[]

function slow(): IrisError {
  const what = `The configuration, and the directories that it names, could not be read within ${maxMs / 1000} s.`
  return new IrisError('config_invalid', what, 'Check whether their disks respond: df')
}

export async function checkContextOf(installation: Installation): Promise<CheckContext> {
  const { home, env } = installation
  const paths = homePaths(home)
  const loaded = await withTimeLimit(loadConfig({ home, env }).catch(toIrisError), slow)
  const mistake = loaded instanceof Error ? loaded : undefined
  const config = loaded instanceof Error ? await configOf('', { home, env }, new ProblemList(paths.config)) : loaded
  if (config === undefined) throw new Error('an empty configuration has no mistakes')
  const irisTag = sha256(realPath(home)).slice(0, 16)
  return { ...installation, paths, config, mistake, lock: await lockOf(paths.lock), irisTag }
}

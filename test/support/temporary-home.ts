import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../src/platform/config/config.ts'
import type { Environment } from '../../src/platform/config/home.ts'
import { loadConfig } from '../../src/platform/config/load.ts'
import { ConfigError } from '../../src/platform/config/problem.ts'

/** A directory of its own for a test: the user's home, Iris's home `iris` in it, and `projects/backend`, `…/frontend`. */
export interface TemporaryHome extends AsyncDisposable {
  readonly root: string
  readonly home: string
  write(file: string, text: string | Uint8Array): Promise<void>
  /** Loads `yaml` as config.yaml, or whatever is there. */
  load(yaml?: string, env?: Environment, uid?: number): Promise<Config>
  /** The error's text without its first line, with `/r` for the temporary directory. */
  mistakes(yaml?: string, env?: Environment, uid?: number): Promise<string>
  /** What is wrong with each directory that cannot be used, and the remedy, likewise. */
  unusable(yaml?: string, env?: Environment, uid?: number): Promise<string[]>
}

export async function temporaryHome(): Promise<TemporaryHome> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'iris-config-')))
  for (const name of ['iris', 'projects/backend', 'projects/frontend']) {
    await mkdir(join(root, name), { recursive: true })
  }
  const home = join(root, 'iris')
  const disk: TemporaryHome = {
    root,
    home,
    async write(file, text) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      // Whatever the umask, nobody else may write to it.
      await writeFile(join(root, file), text, { mode: 0o600 })
    },
    async load(yaml, env = {}, uid = process.getuid?.()) {
      if (yaml !== undefined) await disk.write('iris/config.yaml', yaml)
      return loadConfig({ home, env: { HOME: root, ...env }, uid })
    },
    async mistakes(yaml, env, uid) {
      const outcome = await disk.load(yaml, env, uid).catch((error: unknown) => error)
      if (!(outcome instanceof ConfigError)) throw new Error('a ConfigError was expected', { cause: outcome })
      return outcome.message.slice(outcome.message.indexOf('\n')).trim().replaceAll(root, '/r')
    },
    async unusable(yaml, env, uid) {
      const { unusable } = await disk.load(yaml, env, uid)
      return unusable.map(({ what, remedy }) => `${what} ${remedy}`.replaceAll(root, '/r'))
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
  return disk
}

export type MistakeRows = [
  key: string | null,
  value: string | null,
  problem: string,
  allowed: string | null,
  remedy: string,
]

/** One mistake of config.yaml as it is printed; what is null is not printed. */
export function mistake(place: string, ...rows: MistakeRows): string {
  const labels = ['  Key:     ', '  Value:   ', '  Problem: ', '  Allowed: ', '  Fix:     ']
  const printed = rows.flatMap((text, index) => (text === null ? [] : [labels[index] + text]))
  return [`/r/iris/config.yaml:${place}`, ...printed].join('\n')
}

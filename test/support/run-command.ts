import type { SpawnDaemon } from '../../src/app/cli/context.ts'
import { daemonEnvironment } from '../../src/app/cli/spawn-daemon.ts'
import { runCommand as runProgram } from '../../src/program.ts'
import { TestContext } from './command-context.ts'
import type { World } from './world.ts'

export interface CommandEnding {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  readonly spawnDaemon?: SpawnDaemon
}

/** Runs `iris` with these words in the process of the test, as a person without a terminal would in this world. */
export async function runCommand(
  world: Pick<World, 'env' | 'home' | 'root'>,
  words: readonly string[],
  { cwd = world.root, env = {}, stdin = '', spawnDaemon }: RunOptions = {},
): Promise<CommandEnding> {
  const context = new TestContext({
    cwd,
    env: { ...world.env, IRIS_HOME: world.home, ...env },
    stdin,
    ...(spawnDaemon && { spawnDaemon }),
  })
  const code = await runProgram(words, context)
  return { code, ...context.printed }
}

/** In place of a process: `iris start` in the process of the test. */
export const startHere: SpawnDaemon = (home, env) => {
  const context = new TestContext({ env: daemonEnvironment(home, env) })
  let end: number | undefined
  void runProgram(['start'], context).then((code) => (end = code))
  return { end: () => end, said: () => context.printed.stderr, stop: () => context.raise('SIGTERM') }
}

import type { SpawnDaemon } from '../../src/app/cli/context.ts'
import { daemonEnvironment } from '../../src/app/cli/spawn-daemon.ts'
import { runCommand as runProgram } from '../../src/program.ts'
import { TestContext } from './command-context.ts'
import type { World } from './world.ts'

type CommandWorld = Pick<World, 'env' | 'home' | 'root'>

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
  world: CommandWorld,
  words: readonly string[],
  options: RunOptions = {},
): Promise<CommandEnding> {
  const { code, stdout, stderr } = await runIn(world, words, options)
  return { code, stdout, stderr }
}

/** The same at a terminal of this width; resolves with all that it prints there. */
export async function runAtTerminal(
  world: CommandWorld,
  words: readonly string[],
  columns: number,
  options: RunOptions = {},
): Promise<string> {
  return (await runIn(world, words, { ...options, columns })).inOrder
}

async function runIn(
  { env, home, root }: CommandWorld,
  words: readonly string[],
  { cwd = root, env: more = {}, ...options }: RunOptions & { readonly columns?: number },
) {
  const context = new TestContext({ cwd, env: { ...env, IRIS_HOME: home, ...more }, ...options })
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

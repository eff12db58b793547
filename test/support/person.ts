import { Cli } from '../../src/app/probe/cli.ts'
import { type ClaudeVersion, claudeBinary, cliEnvironment, irisArguments } from './real-claude.ts'
import type { World } from './world.ts'

/** Runs a person's own Claude Code in a team's project, with his own settings. */
export async function asPerson<T>(
  world: World,
  version: ClaudeVersion,
  { team, args = [] }: { readonly team: string; readonly args?: readonly string[] },
  work: (cli: Cli) => Promise<T>,
): Promise<T> {
  const env = cliEnvironment({ version, home: world.root, modelUrl: world.model.url })
  const command = [claudeBinary(version), ...irisArguments, '--settings', '{}', ...args]
  const cli = new Cli({ command, cwd: world.directory(team), env })
  try {
    await cli.request({ subtype: 'initialize' })
    return await work(cli)
  } finally {
    await cli.end()
  }
}

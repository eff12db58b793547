import type { Script } from '../../src/app/demo/script.ts'
import { type CliWorld, cliWorld } from '../../src/app/probe/world.ts'
import { type ClaudeVersion, claudeBinary, cliEnvironment, irisArguments } from './real-claude.ts'

/** A home, a project and a model for one version of the CLI; all processes end with it. */
export interface PinWorld extends CliWorld {
  readonly version: ClaudeVersion
}

export async function pinWorld(version: ClaudeVersion, script: Script, compaction?: Script): Promise<PinWorld> {
  const command = [claudeBinary(version), ...irisArguments]
  const environment = (at: { home: string; modelUrl: string }) => cliEnvironment({ version, ...at })
  return { version, ...(await cliWorld({ command, environment, script, compaction })) }
}

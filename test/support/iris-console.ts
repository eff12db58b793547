import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Installation, irisCommand } from './program.ts'
import { type ClaudeVersion, claudeBinary } from './real-claude.ts'
import { asUsedBefore, Terminal } from './terminal.ts'

interface ForConsoles extends Pick<Installation, 'world' | 'env'> {
  startDaemon(): Promise<unknown>
}

/**
 * Starts the daemon of an installation in whose projects a person opens Claude Code with the tools of Iris. Before anything
 * runs: every Claude Code writes the file of first uses, and would forget what is written beside it.
 */
export async function startForConsoles(iris: ForConsoles, teams: readonly string[]): Promise<void> {
  const [command, ...args] = irisCommand.split(' ')
  const servers = { mcpServers: { iris: { command, args: [...args, 'mcp'], env: iris.env } } }
  writeFileSync(join(iris.world.root, 'mcp.json'), JSON.stringify(servers))
  asUsedBefore(join(iris.world.root, '.claude.json'), ...teams.map((team) => iris.world.directory(team)))
  await iris.startDaemon()
}

/** Claude Code as a person has it open in the project of a team. `more`: of its command line, after the allowed tools. */
export function consoleOf(
  iris: Pick<Installation, 'world'>,
  team: string,
  more = '',
  version: ClaudeVersion = '2.1.330',
): Terminal {
  const options = `--mcp-config ${join(iris.world.root, 'mcp.json')} --strict-mcp-config --permission-mode default`
  const command = `exec ${claudeBinary(version)} ${options} --allowedTools mcp__iris ${more}`
  return new Terminal(command, { cwd: iris.world.directory(team), env: iris.world.env })
}

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fileTree } from './file-tree.ts'
import { Installation } from './program.ts'
import { type ClaudeVersion, claudeBinary } from './real-claude.ts'
import { runCommand } from './run-command.ts'

export const launcher = fileURLToPath(new URL('../../iris', import.meta.url))
const execute = promisify(execFile)

/** What Claude Code wrote into its own file, for the next person who has done the same: two starts of it each. */
const ownFiles = new Map<string, string>()
const rootMark = '<root>'

interface NewcomerOptions {
  readonly version?: ClaudeVersion
  /** They have another MCP server; else they never had one. */
  readonly servers?: boolean
  readonly hasClaude?: boolean
}

/** A person with a Claude Code of their own who has used it, and who installs Iris. */
export async function newcomer({ version = '2.1.330', servers = false, hasClaude = true }: NewcomerOptions = {}) {
  const iris = await Installation.create({ teams: [], settings: { claudePath: undefined } })
  const { root, home } = iris.world
  const [bin, file, project] = [join(root, 'bin'), join(root, '.claude.json'), join(root, 'projects/shop')]
  for (const directory of [bin, project]) mkdirSync(directory, { recursive: true })
  const program = join(bin, 'claude')
  // Nothing else of this machine: a Claude Code may be on its PATH.
  const env = { PATH: `${bin}:/usr/bin:/bin` }
  const claude = (...args: string[]) => execute(program, args, { cwd: root, env: { ...iris.env, ...env } })
  if (hasClaude) {
    symlinkSync(claudeBinary(version), program)
    const kind = `${version} ${servers}`
    if (!ownFiles.has(kind)) {
      await claude('mcp', 'add', '--scope', 'user', 'other', '--', 'x')
      if (!servers) await claude('mcp', 'remove', '--scope', 'user', 'other')
      ownFiles.set(kind, readFileSync(file, 'utf8').replaceAll(root, rootMark))
    }
    mkdirSync(join(root, '.claude'), { recursive: true })
    const text = ownFiles.get(kind)!.replaceAll(rootMark, root)
    // Claude Code leaves an empty list behind; who never had a server has none.
    writeFileSync(file, servers ? text : text.replace(/,\s*"mcpServers": \{\}/, ''), { mode: 0o600 })
  }
  const ofClaudeOrIris = (path: string) => /^(\.claude|\.cache|iris)\//.test(path)
  return {
    iris,
    root,
    home,
    project,
    /** Claude Code's own. */
    file,
    record: join(home, 'installed.json'),
    entry: { type: 'stdio', command: launcher, args: ['mcp'], env: { IRIS_HOME: home } },
    env,
    claude,
    run: (...args: string[]) => runCommand(iris.world, args, { env }),
    servers: () => JSON.parse(readFileSync(file, 'utf8')).mcpServers as Record<string, unknown> | undefined,
    /** All that is neither Iris's home nor what Claude Code keeps for itself besides its file. */
    outside: () => fileTree(root, ofClaudeOrIris),
    [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose](),
  }
}

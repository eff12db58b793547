import { readFileSync } from 'node:fs'
import { LineSplitter } from '../../src/base/lib/line-splitter.ts'
import { parseCommandLine } from './command-line.ts'
import { FakeClaude } from './fake-claude.ts'
import { newUuid } from './new-uuid.ts'
import { nodeWorld } from './node-world.ts'
import { openSession } from './open-session.ts'
import type { Script } from './script.ts'

const longestLineBytes = 256 * 1024 * 1024

const given = parseCommandLine(process.argv.slice(2))
if (given.version) process.stdout.write('9.9.9 (Claude Code fake)\n')
else serve()

function serve(): void {
  const sessionId = given.resume ?? given.sessionId ?? newUuid()
  const world = nodeWorld({
    sessionId,
    oraclePath: process.env['FAKE_CLAUDE_ORACLE'],
    modelUrl: process.env['FAKE_CLAUDE_MODEL'] === '1' ? process.env['ANTHROPIC_BASE_URL'] : undefined,
  })
  const script = readScript(process.env['FAKE_CLAUDE_SCRIPT'])
  const mcpServers = given.mcpConfig === undefined ? {} : JSON.parse(readFileSync(given.mcpConfig, 'utf8')).mcpServers
  const commandLine = { ...given, mcpServers, ...(given.resume === undefined && { sessionId }) }
  const session = openSession({ world, commandLine, script, bare: process.env['FAKE_CLAUDE_BARE'] === '1' })
  if (session === undefined) return
  const fake = new FakeClaude(session)
  process.on('SIGTERM', () => fake.terminate())
  // Without input and without a turn nothing else would keep the process.
  if (script.ignoreInputEnd === true) world.clock.after(Number.POSITIVE_INFINITY, () => {})
  if (script.startDelayMs === undefined) listen(fake)
  else world.clock.after(script.startDelayMs, () => listen(fake))
}

function listen(fake: FakeClaude): void {
  const lines = new LineSplitter({
    maxLineBytes: longestLineBytes,
    onLine: (line) => fake.receive(line),
    onOversize: () => {},
  })
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk))
  process.stdin.on('end', () => fake.endInput())
  process.stdin.on('error', () => fake.endInput())
}

/** Unchecked: whoever wrote it did so through test/support/fake-claude.ts, which checks. */
function readScript(path: string | undefined): Script {
  return path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'))
}

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Script } from '../fake-claude/script.ts'
import { type OracleEntry, readOracle } from './oracle.ts'
import { scratchDirectory } from './scratch.ts'

export type { Script }

interface FakeClaudeOptions {
  /**
   * The script to play; a function gets paths in the fake's own directory, for gates and effects. Default: it echoes.
   */
  readonly script?: Script | ((file: (name: string) => string) => Script)
  /** It says and does what the scripted model answers that it is sent to; in place of a script. */
  readonly followsModel?: boolean
  /** Init, echo, assistant, result and nothing else a turn: for measurements. */
  readonly bare?: boolean
}

/** A scripted double of Claude Code, ready to be configured as a team's `claudePath` and `env`. */
export interface FakeClaudeSetup extends Disposable {
  readonly claudePath: string
  readonly env: Readonly<Record<string, string>>
  /** Everything it noted so far, all processes. */
  oracle(): OracleEntry[]
  /** A path in its directory. */
  file(name: string): string
  /** Creates that file: what `waitForFile` waits for. */
  open(name: string): void
  exists(name: string): boolean
}

export function fakeClaude({
  script = {},
  followsModel = false,
  bare = false,
}: FakeClaudeOptions = {}): FakeClaudeSetup {
  const directory = scratchDirectory()
  const file = (name: string): string => join(directory.path, name)
  const parsed = Script.safeParse(
    followsModel ? { rules: [{ steps: [{ model: true }] }] } : typeof script === 'function' ? script(file) : script,
  )
  if (!parsed.success) throw new Error(`not a script of the fake claude: ${z.prettifyError(parsed.error)}`)
  writeFileSync(file('script.json'), JSON.stringify(parsed.data))
  const oraclePath = file('oracle.ndjson')
  return {
    claudePath: fileURLToPath(new URL('../fake-claude/fake-claude', import.meta.url)),
    env: {
      FAKE_CLAUDE_SCRIPT: file('script.json'),
      FAKE_CLAUDE_ORACLE: oraclePath,
      ...(followsModel && { FAKE_CLAUDE_MODEL: '1' }),
      ...(bare ? { FAKE_CLAUDE_BARE: '1' } : {}),
    },
    oracle: () => readOracle(oraclePath),
    file,
    open: (name) => writeFileSync(file(name), ''),
    exists: (name) => existsSync(file(name)),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  }
}

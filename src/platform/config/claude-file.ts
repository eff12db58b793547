import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, userHome } from './home.ts'

/** Where Claude Code keeps what is the user's for all projects; the first one is from before, and still preferred. */
export function claudeFile(env: Environment): string {
  const { CLAUDE_CONFIG_DIR: directory } = env
  const former = join(directory || join(userHome(env), '.claude'), '.config.json')
  return existsSync(former) ? former : join(directory || userHome(env), '.claude.json')
}

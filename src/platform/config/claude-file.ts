import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, userHome } from './home.ts'

/** Claude Code's file with the user's data for all projects. An older `.config.json` takes precedence. */
export function claudeFile(env: Environment): string {
  const { CLAUDE_CONFIG_DIR: directory } = env
  const former = join(directory || join(userHome(env), '.claude'), '.config.json')
  return existsSync(former) ? former : join(directory || userHome(env), '.claude.json')
}

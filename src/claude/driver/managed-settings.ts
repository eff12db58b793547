import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the administrator of a machine says what holds for every Claude Code on it, whatever it is started with. */
const managedDirectory = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

/** The files that are there. */
export function managedFiles(directory = managedDirectory): readonly string[] {
  const parts = join(directory, 'managed-settings.d')
  return [
    ...namesIn(directory).flatMap((name) => (name === 'managed-settings.json' ? [join(directory, name)] : [])),
    ...namesIn(parts).flatMap((name) => (name.endsWith('.json') ? [join(parts, name)] : [])),
  ]
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variablesOf } from './settings-login.ts'

/** The directory of settings that a machine's administrator enforces for every Claude Code on it. */
const managedDirectory = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

/** The managed settings files that exist. */
export function managedFiles(directory = managedDirectory): readonly string[] {
  const parts = join(directory, 'managed-settings.d')
  return [
    ...namesIn(directory).flatMap((name) => (name === 'managed-settings.json' ? [join(directory, name)] : [])),
    ...namesIn(parts).flatMap((name) => (name.endsWith('.json') ? [join(parts, name)] : [])),
  ]
}

/** The texts of the managed settings files. */
export function managedTexts(): readonly string[] {
  return managedFiles().map((file) => readFileSync(file, 'utf8'))
}

/** The variables that these files set. Text that is not JSON sets none. */
export function managedVariables(texts: readonly string[] = managedTexts()): Readonly<Record<string, string>> {
  return variablesOf(texts.map((text) => ({ path: managedDirectory, level: 'managed', text })))
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../lib/is-record.ts'
import { IrisError } from '../protocol/error.ts'

/** Where the administrator of a machine says what holds for every Claude Code on it, whatever its environment says. */
export const managedDirectory =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

const leads = /^(ANTHROPIC_.*BASE_URL|CLAUDE_CODE_USE_.*|.*_PROXY|.*_proxy)$/

/** Refuses an environment whose model is not on this machine. Throws `not_allowed`. */
export function refuseElsewhere(env: Readonly<Record<string, string | undefined>>): void {
  if (!isLoopback(env['ANTHROPIC_BASE_URL']))
    throw leaves(`ANTHROPIC_BASE_URL is ${env['ANTHROPIC_BASE_URL'] ?? 'not set'}`)
  for (const [name, value] of Object.entries(env)) {
    if (leads.test(name) && value && !isLoopback(value)) throw leaves(`${name} is set`)
  }
}

/** The same for what is managed: it wins over any environment that a process is given. Throws `not_allowed`. */
export function refuseManaged(directory = managedDirectory): void {
  for (const file of managedFiles(directory)) {
    const env = settingsIn(file)['env']
    for (const [name, value] of Object.entries(isRecord(env) ? env : {})) {
      if (leads.test(name) && value !== '' && !isLoopback(value)) throw leaves(`${file} sets ${name}`)
    }
  }
}

function managedFiles(directory: string): readonly string[] {
  const parts = join(directory, 'managed-settings.d')
  return [
    ...namesIn(directory)
      .filter((name) => name === 'managed-settings.json')
      .map((name) => join(directory, name)),
    ...namesIn(parts)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(parts, name)),
  ]
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function settingsIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(settings) ? settings : {}
  } catch (error) {
    throw leaves(
      `${file} cannot be read (${error instanceof Error ? error.message : String(error)}), and it may say where the model is`,
    )
  }
}

function isLoopback(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(value).hostname)
}

function leaves(why: string): IrisError {
  const message = `The probe would not stay on this machine: ${why}.`
  return new IrisError('not_allowed', message, 'It runs only against the scripted model of Iris. Nothing was started.')
}

import { readFileSync } from 'node:fs'
import { isRecord } from '../../base/lib/is-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { managedFiles } from '../../claude/driver/managed-settings.ts'

const leads = /^(ANTHROPIC_.*BASE_URL|CLAUDE_CODE_USE_(?!POWERSHELL).*|(HTTPS?|ALL)_PROXY)$/i

/** Refuses an environment whose model is not on this machine. Throws `not_allowed`. */
export function refuseElsewhere(env: Readonly<Record<string, string | undefined>>): void {
  if (!isLoopback(env['ANTHROPIC_BASE_URL']))
    throw leaves(`ANTHROPIC_BASE_URL is ${env['ANTHROPIC_BASE_URL'] ?? 'not set'}`)
  for (const [name, value] of Object.entries(env)) {
    if (leads.test(name) && value && !isLoopback(value)) throw leaves(`${name} is set`)
  }
}

/** Refuses managed settings that lead elsewhere: they override any environment. Throws `not_allowed`. */
export function refuseManaged(files = managedFiles()): void {
  for (const file of files) {
    const env = settingsIn(file)['env']
    for (const [name, value] of Object.entries(isRecord(env) ? env : {})) {
      if (leads.test(name) && value !== '' && !isLoopback(value)) throw leaves(`${file} sets ${name}`)
    }
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
  return new IrisError('not_allowed', message, "It runs only against Iris's scripted model. Nothing was started.")
}

import { existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../../../base/lib/is-record.ts'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { replaceText } from '../../../platform/config/replace-text.ts'
import { parsed } from './json-edit.ts'
import { readAllowed, rememberAllowed } from './record.ts'
import type { Told } from './restore-file.ts'

/** Claude Code's rule for every tool of the server `iris`. */
export const toolsRule = 'mcp__iris'

/** The person's own settings of Claude Code. */
export function settingsFile(env: Environment): string {
  const file = join(env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude'), 'settings.json')
  return existsSync(file) ? realpathSync(file) : file
}

/** Whether Claude Code uses the tools of Iris without asking the person. */
export function areToolsAllowed(env: Environment): boolean {
  const text = textOf(settingsFile(env))
  return text !== null && rulesIn(parsed(text) ?? {}).includes(toolsRule)
}

/**
 * Adds the rule to the person's settings and records the change for `iris uninstall`; resolves with the file's path.
 * Throws `config_invalid` when the file is not a JSON object, `config_conflict` when it changes meanwhile.
 */
export async function allowTools(env: Environment, record: string): Promise<string> {
  const file = settingsFile(env)
  const before = textOf(file)
  const settings = parsed(before ?? '{}')
  if (settings === undefined) {
    throw new IrisError(
      'config_invalid',
      `${file} is not a JSON object.`,
      `Add "${toolsRule}" to its permissions.allow.`,
    )
  }
  const permissions = isRecord(settings['permissions']) ? settings['permissions'] : {}
  const allow = [...rulesIn(settings), toolsRule]
  const after = written({ ...settings, permissions: { ...permissions, allow } }, before)
  makeDirectory(dirname(file))
  if (!(await replaceText(file, before, after))) throw changed(file)
  await rememberAllowed(record, { file, before, after })
  return file
}

/**
 * Restores the settings, or removes only the rule if the settings have changed since. Undefined if Iris had not added
 * the rule.
 */
export async function undoAllowedTools(record: string, dryRun: boolean): Promise<Told | undefined> {
  const allowed = readAllowed(record)
  if (allowed === undefined) return undefined
  const { file, before, after } = allowed
  if (dryRun) return { text: `Would remove ${toolsRule} from ${file}.` }
  const now = textOf(file)
  const rest = now === after ? before : now === null ? null : withoutRule(now)
  if (rest === null) rmSync(file, { force: true })
  else if (!(await replaceText(file, now, rest))) throw changed(file)
  await rememberAllowed(record, undefined)
  return { text: `Removed ${toolsRule} from ${file}.` }
}

function withoutRule(text: string): string {
  const settings = parsed(text)
  const permissions = settings?.['permissions']
  if (settings === undefined || !isRecord(permissions)) return text
  const allow = rulesIn(settings).filter((rule) => rule !== toolsRule)
  return written({ ...settings, permissions: { ...permissions, allow } }, text)
}

function rulesIn({ permissions }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const rules = isRecord(permissions) ? permissions['allow'] : undefined
  return Array.isArray(rules) ? rules : []
}

/** Keeps the indentation of `text`. */
function written(settings: object, text: string | null): string {
  return `${JSON.stringify(settings, null, /^[ \t]+(?=")/m.exec(text ?? '')?.[0] ?? '  ')}\n`
}

function textOf(file: string): string | null {
  return existsSync(file) ? plainFile(file) : null
}

function changed(file: string): IrisError {
  return new IrisError('config_conflict', `${file} has changed since it was read.`, 'Try again.')
}

import { join } from 'node:path'
import { isRecord } from '../../../base/lib/is-record.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { parsed } from './json-edit.ts'

/** The enabled plugin that brings the same tools, as Claude Code names it. Undefined if there is none. */
export function enabledPlugin(env: Environment): string | undefined {
  const file = join(env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude'), 'settings.json')
  const plugins = settingsIn(file)?.['enabledPlugins']
  if (!isRecord(plugins)) return undefined
  return Object.keys(plugins).find((name) => name.startsWith('iris@') && plugins[name] === true)
}

function settingsIn(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parsed(plainFile(file))
  } catch {
    return undefined
  }
}

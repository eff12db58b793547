import { isRecord } from '../../base/lib/is-record.ts'

/** Whether a file with this name contains Claude Code settings. */
export function isSettings(name: string): boolean {
  return /settings(\.local)?\.json$/.test(name)
}

/** Hook events that do not occur in a turn that only reads, or whose output does not reach the model. */
const harmlessHooks: ReadonlySet<string> = new Set([
  'Notification',
  'SessionEnd',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'SubagentStart',
  'SubagentStop',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'PostToolUseFailure',
  'StopFailure',
])
const ofTools: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse'])
/**
 * Settings that give the model text from outside these files: an output style, an agent, or a memory directory
 * elsewhere.
 */
const addText = ['outputStyle', 'agent', 'autoMemoryDirectory']

/** Whether these settings give the model text that may differ each time. */
export function addsUnknown(text: string): boolean {
  const settings = parsed(text)
  if (settings === undefined || addText.some((key) => settings[key] !== undefined)) return true
  const plugins = isRecord(settings['enabledPlugins']) ? settings['enabledPlugins'] : {}
  if (Object.values(plugins).some((value) => value !== false)) return true
  const hooks = isRecord(settings['hooks']) ? settings['hooks'] : {}
  return Object.entries(hooks).some(([event, groups]) => {
    if (harmlessHooks.has(event) || !Array.isArray(groups)) return false
    return groups.some((group) => !ofTools.has(event) || !isRecord(group) || concernsReading(group['matcher']))
  })
}

/** A matcher that is not a plain list of other tools may match Read as well. */
function concernsReading(matcher: unknown): boolean {
  return typeof matcher !== 'string' || !/^\w+(\|\w+)*$/.test(matcher) || matcher.split('|').includes('Read')
}

/** Undefined if the text is not a JSON object: Claude Code may read such a text in its own way. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

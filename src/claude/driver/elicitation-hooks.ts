import { isRecord } from '../../base/lib/is-record.ts'

/** Claude Code's names for Iris's server: as registered by `iris install`, and as part of the plugin. */
const names = ['iris', 'plugin:iris:iris']

/**
 * The first of these settings files with an *Elicitation* hook that may answer Iris's forms instead of a person.
 * Undefined if no file has such a hook.
 */
export function elicitationHook<File extends { readonly text: string }>(files: readonly File[]): File | undefined {
  return files.find(({ text }) => {
    const groups = groupsIn(text)
    return Array.isArray(groups) && groups.some((group) => isRecord(group) && isMeant(group['matcher']))
  })
}

function groupsIn(text: string): unknown {
  try {
    const settings: unknown = JSON.parse(text)
    const hooks = isRecord(settings) ? settings['hooks'] : undefined
    return isRecord(hooks) ? hooks['Elicitation'] : undefined
  } catch {
    // Claude Code ignores such a file.
    return undefined
  }
}

/**
 * Whether a Claude Code matcher (a list of names, or a pattern) matches Iris's server. True for an unreadable matcher,
 * because nobody knows what it matches.
 */
function isMeant(matcher: unknown): boolean {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return true
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').some((name) => names.includes(name))
  try {
    const pattern = new RegExp(matcher)
    return names.some((name) => pattern.test(name))
  } catch {
    return true
  }
}

import { isRecord } from '../../base/lib/is-record.ts'

/** How Claude Code names the server of Iris: registered by `iris install`, and of the plugin. */
const names = ['iris', 'plugin:iris:iris']

/**
 * The first of these settings whose hook named *Elicitation* may answer the forms of Iris, instead of a person.
 * Undefined: none does.
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

/** A matcher of Claude Code: a list of names, or a pattern. One that cannot be read counts: nobody knows what it matches. */
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

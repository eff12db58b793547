import { isRecord } from '../../base/lib/is-record.ts'
import { visible } from '../../base/lib/visible.ts'

/** What a person asks for first about a tool's use; the earlier one counts. */
const telling = ['command', 'file_path', 'notebook_path', 'toTeam', 'url', 'pattern', 'query', 'path', 'description']
const longest = 160
/** So much is looked through for secrets; what is shown of it is far shorter. */
const readAtMost = 4000

/** One line of a tool's input by which people know it again: its command, its file, whom it asks. Without secrets. */
export function inputSummary(input: unknown, withoutSecrets: (text: string) => string): string {
  const fields = isRecord(input) ? input : {}
  const key = telling.find((name) => typeof fields[name] === 'string')
  const text = key === undefined ? JSON.stringify(input ?? {}) : String(fields[key])
  if (text === '{}') return ''
  const told = visible(withoutSecrets(text.slice(0, readAtMost)).replaceAll(/\s+/g, ' ').trim())
  return told.length > longest ? `${told.slice(0, longest - 1)}…` : told
}

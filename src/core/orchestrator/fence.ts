import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { visible } from '../../base/lib/visible.ts'
import type { ToolRefusal, ToolStart } from '../../claude/driver/control-handler.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import { mayReportLater } from './open-agents.ts'

export interface FenceParts {
  readonly ledger: Ledger
  readonly secrets: Pick<Secrets, 'hideInText'>
  readonly log: Log
}

/**
 * The CLI waits here before every tool. What is committed first can be told apart after a crash from what never ran; a
 * tool that cannot be committed does not run.
 */
export function beforeTool(session: Session, start: ToolStart, { ledger, secrets, log }: FenceParts): ToolRefusal {
  const turn = session.running
  // A turn of the CLI's own: it answers nobody, so there is nothing to send again.
  if (turn?.delivery === undefined) return undefined
  const { toolUseId, toolName: name } = start
  const [of, now] = [{ turn: turn.id, toolUseId, delivery: turn.delivery }, turn.now()]
  const inputShort = inputSummary(start.input, secrets.hideInText)
  const inputHash = sha256(JSON.stringify(start.input ?? null))
  try {
    ledger.atomically(() => {
      ledger.toolStarts.add({ ...of, within: start.within ?? null, name, inputHash, inputShort, startedAt: now })
      if (mayReportLater(name)) ledger.openAgents.open({ ...of, description: inputShort, openedAt: now })
    })
    return undefined
  } catch (error) {
    log.error(`a tool start could not be committed: ${String(error)}`, { turnId: turn.id, tool: start.toolName })
    return 'Iris could not record the start of this tool, so it may not run. Say so in your answer.'
  }
}

/** What a person asks for first about a tool's use; the earlier one counts. */
const telling = ['command', 'file_path', 'notebook_path', 'toTeam', 'url', 'pattern', 'query', 'path', 'description']
const longest = 160
/** So much is looked through for secrets; what is shown of it is far shorter. */
const readAtMost = 4000

/** One line of a tool's input by which people know it again: its command, its file, whom it asks. Without secrets. */
function inputSummary(input: unknown, withoutSecrets: (text: string) => string): string {
  const fields = isRecord(input) ? input : {}
  const key = telling.find((name) => typeof fields[name] === 'string')
  const text = key === undefined ? JSON.stringify(input ?? {}) : String(fields[key])
  if (text === '{}') return ''
  const told = visible(withoutSecrets(text.slice(0, readAtMost)).replaceAll(/\s+/g, ' ').trim())
  return told.length > longest ? `${told.slice(0, longest - 1)}…` : told
}

import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { ToolRefusal, ToolStart } from '../../claude/driver/control-handler.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import { inputSummary } from './input-summary.ts'
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

import type { ToolRefusal, ToolStart } from '../../base/agent/control-handler.ts'
import type { UnsolicitedCause } from '../../base/agent/unsolicited-turn.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { visible } from '../../base/lib/visible.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'
import type { Session } from '../session/session.ts'
import { mayReportLater } from './open-agents.ts'

export interface FenceParts {
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Ledger
  readonly secrets: Pick<Secrets, 'hideInText'>
  readonly log: Log
}

/**
 * The CLI waits for this before it runs a tool. The tool's start is committed first, so that Iris knows after a crash
 * which tools may have run. If the commit fails, the tool does not run.
 */
export function beforeTool(session: Session, start: ToolStart, parts: FenceParts): ToolRefusal {
  if (start.unsolicited) return beforeUnsolicitedTool(session, start, start.unsolicited, parts)
  const { ledger, secrets, log } = parts
  const started = startedTool(session, start, secrets)
  if (started === undefined) return undefined
  const { turn, toolUseId, delivery, name, inputShort: description, startedAt: openedAt } = started
  try {
    ledger.atomically(() => {
      ledger.toolStarts.add(started)
      if (mayReportLater(name)) ledger.openAgents.open({ turn, toolUseId, delivery, description, openedAt })
    })
    return undefined
  } catch (error) {
    return notCommitted(error, { turnId: turn, tool: name }, log)
  }
}

/**
 * Records a tool of an unsolicited turn for the turn whose background task woke Claude Code. Recovery does not count
 * the tool, because an unsolicited turn answers no message.
 */
function beforeUnsolicitedTool(
  session: Session,
  { toolUseId, toolName: name, input }: ToolStart,
  { toolUseId: cause }: UnsolicitedCause,
  { ledger, secrets, clock, log }: FenceParts,
): ToolRefusal {
  try {
    const turn = cause && ledger.reports.ownerOf(session.row.id, cause)
    if (turn === undefined) return undefined
    const inputShort = inputSummary(input, secrets.hideInText)
    ledger.reports.addTool({ toolUseId, turn, name, inputShort, startedAt: clock.now() })
    return undefined
  } catch (error) {
    return notCommitted(error, { tool: name }, log)
  }
}

function notCommitted(error: unknown, facts: Record<string, unknown>, log: Log): string {
  log.error(`a tool start could not be committed: ${String(error)}`, facts)
  return 'Iris could not record the start of this tool, so the tool must not run. Say so in your answer.'
}

/**
 * The start of a tool, for the ledger. Undefined if no turn is running, because recovery would have nothing to deliver
 * again.
 */
export function startedTool(
  { running: turn }: Session,
  { toolUseId, toolName: name, input, within, unsolicited }: ToolStart,
  { hideInText }: FenceParts['secrets'],
): NewToolStart | undefined {
  // An unsolicited turn answers no message.
  if (turn?.delivery === undefined || unsolicited) return undefined
  const inputShort = inputSummary(input, hideInText)
  const inputHash = sha256(JSON.stringify(input ?? null))
  const of = { turn: turn.id, toolUseId, delivery: turn.delivery }
  return { ...of, within: within ?? null, name, inputHash, inputShort, startedAt: turn.now() }
}

/** The input fields that best describe a tool use, most important first. */
const telling = ['command', 'file_path', 'notebook_path', 'toTeam', 'url', 'pattern', 'query', 'path', 'description']
const longest = 160
/** How many characters are searched for secrets; far fewer are shown. */
const readAtMost = 64 * 1024

/**
 * Summarises a tool's input in one line: its command, its file, or the team that it asks. Secrets are hidden. If only
 * the beginning of the text is read, the last word is left out, because it may be half a secret.
 */
export function inputSummary(input: unknown, withoutSecrets: (text: string) => string): string {
  const fields = isRecord(input) ? input : {}
  const key = telling.find((name) => typeof fields[name] === 'string')
  const text = key === undefined ? JSON.stringify(input ?? {}) : String(fields[key])
  if (text === '{}') return ''
  const read = text.length > readAtMost ? beforeLastWord(text.slice(0, readAtMost)) : text
  const line = visible(withoutSecrets(read).replaceAll(/\s+/g, ' ').trim())
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

/** A cut-off word may be the beginning of a secret. */
function beforeLastWord(text: string): string {
  let end = text.length
  while (end > 0 && /\S/.test(text[end - 1]!)) end -= 1
  return `${text.slice(0, end)}…`
}

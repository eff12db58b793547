import { IrisError } from '../../base/protocol/error.ts'
import { ownThread } from '../../base/protocol/open-session-thread.ts'
import { roleOfThread, threadBesideRole } from '../../base/protocol/role.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Ask } from '../turn/ask.ts'

/** More tools would make the error too long to read. */
const maxNamedTools = 20

/**
 * Returns the ask that retries an ended turn in its pair's conversation; a second retry yields the same turn. Throws
 * `unknown_turn` and `invalid_input`. Unless `evenInDoubt` is true or the turn was retried before, throws
 * `may_have_run` for a turn that is in doubt or that has a tool which a hook deferred.
 */
export function askAgain(
  turnId: string,
  evenInDoubt: boolean,
  { seams, ledger, sessions, trees }: Pick<OrchestratorParts, 'seams' | 'ledger' | 'sessions' | 'trees'>,
): Ask {
  const row = ledger.turn(turnId)
  if (row === undefined) throw new IrisError('unknown_turn', `There is no turn ${turnId}.`, 'Use the id of a message.')
  if (row.outcome === null)
    throw new IrisError('invalid_input', `The message ${turnId} has not ended.`, 'Wait until it ends, or cancel it.')
  if (row.outcome === 'completed')
    throw new IrisError('invalid_input', `The message ${turnId} already has an answer.`, 'Send a new message instead.')
  const isTried = ledger.retries.of(turnId) !== undefined
  const mayRepeat = row.outcome === 'in_doubt' || row.reason === 'tool_deferred'
  if (mayRepeat && !evenInDoubt && !isTried) throw mayHaveRun(row, ledger)
  const { from, to, thread } = sessions.rowOf(row.session)
  return {
    // `Orchestrator.ask` adds the role to the thread again.
    pair: { from, to, thread: ownThread(threadBesideRole(thread)) },
    role: roleOfThread(thread),
    // The messages that had joined the turn were not answered either.
    message: [row.message, ...ledger.steers.of(turnId).map(({ message }) => message)].join('\n\n'),
    waits: false,
    // No asker has an empty name, so no caller's key can equal this one.
    idempotencyKey: `\0retry\0${turnId}`,
    parent: undefined,
    budget: row.budget ?? undefined,
    sharedBudget: sharedOf(row, trees),
    responseSchema: row.responseSchema ?? undefined,
    attachments: row.attachments?.map((file) => seams.files.withContent(file)),
    callback: row.callback ?? undefined,
    metadata: row.metadata ?? undefined,
    retryOf: turnId,
  }
}

function sharedOf({ sharedBudget: id }: TurnRow, trees: OrchestratorParts['trees']): Ask['sharedBudget'] {
  const row = id === null ? undefined : trees.budgetOf(id)
  return row && { id: row.id, budget: row.budget }
}

/** The error that names the tools which may have taken effect, or may still do so. */
function mayHaveRun(row: TurnRow, { toolStarts }: OrchestratorParts['ledger']): IrisError {
  if (row.reason === 'tool_deferred') return mayStillRun(row)
  const starts = toolStarts.of([row.id], maxNamedTools + 1)
  const named = starts
    .slice(0, maxNamedTools)
    .map(({ name, inputShort }) => (inputShort ? `${name} (${inputShort})` : name))
  const more = starts.length > maxNamedTools ? ', and more' : ''
  const what = named.length === 0 ? 'No tool had started' : `These tools may have run: ${named.join(', ')}${more}`
  return new IrisError(
    'may_have_run',
    `It is unknown how the message ended. ${what}.`,
    'Check what it did. To retry anyway, set evenInDoubt: true.',
  )
}

/**
 * When Claude Code resumes the conversation, it continues with the deferred tool, so a retry would run that tool a
 * second time. The turn's detail names the tool.
 */
function mayStillRun({ detail }: TurnRow): IrisError {
  return new IrisError(
    'may_have_run',
    detail ?? 'A hook of the project postponed a tool. It may have run since, or may still run.',
    'Ask the agent what became of the tool. To retry anyway, set evenInDoubt: true.',
  )
}

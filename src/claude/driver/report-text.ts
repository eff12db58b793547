import { type Line, toolResults } from '../../base/agent/line.ts'
import type { ClaudeResult } from '../../base/agent/run-result.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Reason } from '../../base/protocol/turn.ts'
import { Speech } from './answer.ts'
import { EndingSignsReader } from './ending-signs.ts'
import { endingOf } from './endings.ts'
import { withAnswer } from './result.ts'

/**
 * What the agent said in an unsolicited turn: its answer, or everything if a message joined the turn. If the turn is
 * incomplete, everything the agent said, followed by the reason in brackets. Empty if nothing was said.
 */
export function reportText(turn: EndedUnsolicitedTurn): string {
  const { lines, result, isCut, unfinished = '' } = turn
  const speech = new Speech()
  for (const line of lines) speech.take(line)
  if (isCut) return cutReport(speech.everythingWith(unfinished), turn)
  if (result === undefined) return inWords(turn, speech.everything, undefined)
  const why = notWhole(result, lines)
  if (why !== undefined) return inWords(turn, speech.everything, why)
  const { text } = withAnswer(result, speech)
  // 2.1.197 reports tasks that died with the previous process in a separate, empty turn.
  const isEmpty = text.trim() === '' && !speech.hasBegun && result.numTurns === 0
  return isEmpty ? '' : inWords(turn, text, undefined)
}

/** Like `reportText`, for a turn that ended with its process. `said`: everything the agent had said in the turn. */
export function cutReport(said: string, turn: Pick<EndedUnsolicitedTurn, 'lines' | 'toolUseId'> = noLines): string {
  return inWords(turn, said, 'its process ended before that')
}

const noLines = { lines: [], toolUseId: undefined }

function inWords(
  turn: Pick<EndedUnsolicitedTurn, 'lines' | 'toolUseId'>,
  said: string,
  why: string | undefined,
): string {
  if (said.trim() !== '') return why === undefined ? said : `${said.trimEnd()}\n\n[This report is incomplete: ${why}.]`
  return `[${whatHappened(turn)}; its agent said nothing about it${why === undefined ? '' : `: ${why}`}.]`
}

function whatHappened({ lines, toolUseId }: Pick<EndedUnsolicitedTurn, 'lines' | 'toolUseId'>): string {
  const ranLater = lines.flatMap(toolResults).some((each) => each.toolUseId === toolUseId)
  return ranLater ? 'The tool that a hook postponed has run' : 'The background command ended'
}

const words: Partial<Record<Reason, string>> = {
  cut: 'it was cut off',
  paused: 'the API paused it',
  model_refusal: 'the model declined to continue',
  blocked_by_hook: 'a hook of the project blocked it',
  stopped_by_hook: 'a hook of the project stopped it',
  tool_deferred: 'a hook of the project postponed a tool',
  no_answer: 'it ended with a tool',
}

/** How many characters of the CLI's own text are quoted. */
const maxWords = 300

/** Why the report is incomplete; undefined if it is complete. */
function notWhole(result: ClaudeResult, lines: readonly Line[]): string | undefined {
  const reader = new EndingSignsReader()
  for (const line of lines) reader.take(line)
  const { reason } = endingOf(result, reader.signs)
  if (reason === null) return undefined
  if (result.terminalReason?.startsWith('aborted')) return 'it was interrupted'
  const said = result.text.trim().replace(/\.$/, '').slice(0, maxWords).toWellFormed()
  const isOfApi = reason.startsWith('api_')
  return words[reason] ?? `${isOfApi ? 'the API failed' : 'Claude Code ended it with an error'}${said && ` (${said})`}`
}

import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type NamedTurnParts, namedTurn, unknownTurn } from '../../../kernel/call/named-turn.ts'
import { type TurnModelParts, turnFacts, withLiveValues } from '../../../kernel/call/turn-model.ts'
import { type TurnPart, turnParts } from '../../../kernel/turn/turn-parts.ts'
import type { TurnRow } from '../../../platform/store/ledger.ts'
import type { Notices } from '../../../platform/store/notices.ts'
import type { ToolStartRow, ToolStarts } from '../../../platform/store/tool-starts.ts'
import type { turnTranscript } from '../../messages/contract/turns.ts'
import { type TurnLinesParts, turnLines } from './turn-lines.ts'

/** The dependencies of these operations. */
export interface TurnTranscriptParts extends NamedTurnParts, TurnLinesParts, TurnModelParts {
  readonly clock: Clock
  readonly notices: Notices
  readonly toolStarts: Pick<ToolStarts, 'of'>
}

type Output = z.output<typeof turnTranscript.output>
type Part = Output['parts'][number]

const usualLimits = { parts: 500, text: 4000, all: 1024 * 1024 }
const fullLimits = { parts: 50_000, text: 4 * 1024 * 1024, all: 8 * 1024 * 1024 }
/** The most tool starts of one turn that are read. */
const maxStarts = 3000
/** Characters after the cut that are searched for secrets too: half a secret would not be recognized. */
const secretMargin = 4000

/** turn_transcript: the parts of one turn; where they exceed the limits, only the newest. */
export async function transcript(
  input: z.output<typeof turnTranscript.input>,
  call: Call,
  given: TurnTranscriptParts,
): Promise<Output> {
  const { turns, sessions, notices, sessionTurns, clock } = given
  const row = sessionTurns.turn(namedTurn(input.turnId, given))
  if (row === undefined) {
    const what = `There is no turn ${input.turnId}.`
    throw unknownTurn(what, input.turnId, 'session_turns names those of a conversation.', call, given)
  }
  const live = (await turns.living([row.id])).get(row.id)
  const { lines, source, timeOf } = await turnLines(row, live, given)
  const printed = lines.length === 0 && live === undefined ? remembered(row) : turnParts(lines, timeOf)
  const all = withUnprinted(printed, given.toolStarts.of([row.id], maxStarts))
  const { parts, isCut } = bounded(all, input.full === true ? fullLimits : usualLimits, given.secrets)
  const session = sessions.rowOf(row.session)
  return {
    ...turnFacts(withLiveValues(row, live), given),
    sessionId: session.sessionId,
    from: session.from,
    to: session.to,
    thread: session.thread,
    message: row.message,
    notices: notices.ofTurn(row.id).map(({ text, leftAt }) => ({ text, leftAt })),
    deliveries: sessionTurns.deliveriesOf(row.id).length,
    parts,
    partsLeftOut: all.length - parts.length,
    isCut: isCut || parts.length < all.length,
    source,
    timestamp: clock.now(),
  }
}

/** Adds the tools of a workflow's agents: Claude Code prints nothing of them, but the ledger has their starts. */
function withUnprinted(parts: TurnPart[], starts: readonly ToolStartRow[]): TurnPart[] {
  const printed = new Set(parts.map((part) => (part.kind === 'tool' ? part.toolUseId : undefined)))
  for (const { toolUseId, name, within, inputShort: input, startedAt: at } of starts) {
    if (within === null || printed.has(toolUseId)) continue
    const next = parts.findIndex((part) => part.at !== undefined && part.at > at)
    const tool: TurnPart = { kind: 'tool', toolUseId, name, input, within, at, result: undefined }
    parts.splice(next === -1 ? parts.length : next, 0, tool)
  }
  return parts
}

function remembered({ answer, partial, settledAt }: TurnRow): TurnPart[] {
  const text = answer ?? partial ?? ''
  return text === '' ? [] : [{ kind: 'text', text, ...(settledAt !== null && { at: settledAt }) }]
}

/** The newest parts that fit, each cut to its limit. */
function bounded(all: readonly TurnPart[], limits: typeof usualLimits, secrets: TurnTranscriptParts['secrets']) {
  const parts: Part[] = []
  let [length, isCut] = [0, false]
  const cut = (text: string): { text: string; cutCharacters?: number } => {
    const hidden = secrets.hideInText(text.slice(0, limits.text + secretMargin))
    const shown = hidden.slice(0, limits.text).toWellFormed()
    length += shown.length
    if (text.length <= limits.text) return { text: shown }
    isCut = true
    return { text: shown, cutCharacters: text.length - limits.text }
  }
  for (const part of all.toReversed()) {
    if (parts.length === limits.parts || length > limits.all) break
    parts.push(shownPart(part, cut, secrets))
  }
  return { parts: parts.reverse(), isCut }
}

function shownPart(
  part: TurnPart,
  cut: (text: string) => { text: string; cutCharacters?: number },
  secrets: TurnTranscriptParts['secrets'],
): Part {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return { ...part, ...cut(part.text) }
    case 'tool': {
      const { result, input, at, ...facts } = part
      const { text, cutCharacters } = cut(
        typeof input === 'string' ? input : JSON.stringify(secrets.hideIn(input) ?? null, null, 2),
      )
      const came = result && cut(result.text)
      return {
        ...facts,
        ...(at !== undefined && { at }),
        input: text,
        ...(cutCharacters !== undefined && { inputCutCharacters: cutCharacters }),
        ...(came && { result: came.text, isError: result.isError }),
        ...(came?.cutCharacters !== undefined && { resultCutCharacters: came.cutCharacters }),
        ...(at !== undefined && result?.at !== undefined && { durationMs: Math.max(0, result.at - at) }),
      }
    }
    case 'compaction': {
      const { beforeTokens, afterTokens, ...facts } = part
      return {
        ...facts,
        ...(beforeTokens !== null && { beforeTokens }),
        ...(afterTokens !== null && { afterTokens }),
      }
    }
    case 'note':
      return { ...part, text: cut(part.text).text }
    case 'continued':
      return part
  }
}

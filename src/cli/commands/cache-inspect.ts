import type { Input, Output } from '../../client/tool-call.ts'
import type { Environment } from '../../config/home.ts'
import { IrisError } from '../../protocol/error.ts'
import { pairText } from '../../protocol/party.ts'
import { shortOf } from '../ask/show-answer.ts'
import { call } from '../call.ts'
import { columns } from '../columns.ts'
import type { Given } from '../command/spec.ts'
import { counted } from '../counted.ts'
import { choose, isInteractive } from '../prompt.ts'
import { say, sayJson } from '../say.ts'

type Turns = Output<'session_turns'>
type Transcript = Output<'turn_transcript'>

/** The turns of a conversation; at a terminal one after the other is chosen and shown whole. */
export async function cacheInspect({ env, input, json }: Given): Promise<void> {
  const wanted = input as Input<'session_turns'>
  const turns = await call(env, 'session_turns', { ...wanted, sessionId: await named(env, wanted.sessionId) })
  if (json) return sayJson(turns)
  say(`${pairText(turns)}  ${turns.sessionId}  ${counted(turns.total, 'turn')}${turns.isArchived ? ', archived' : ''}`)
  if (turns.offset > 0) say(`There are older ones: --offset ${Math.max(0, turns.offset - turns.turns.length)}`)
  if (!isInteractive() || turns.turns.length === 0) {
    for (const line of columns(turns.turns.map(cellsOf))) say(line)
    return
  }
  for (;;) {
    const choices = turns.turns.toReversed().map((turn) => ({ value: turn.turnId, label: labelOf(turn) }))
    const turnId = await choose('Which turn?', choices)
    if (turnId === undefined) return
    for (const line of transcriptLines(await call(env, 'turn_transcript', { turnId, full: true }))) say(line)
  }
}

/** The session of which these are the first characters. */
async function named(env: Environment, characters: string): Promise<string> {
  if (characters.length === 36) return characters
  const { sessions } = await call(env, 'list_sessions', { status: 'all', limit: 200 })
  const found = sessions.filter(({ sessionId }) => sessionId.startsWith(characters.toLowerCase()))
  if (found.length === 1) return found[0]!.sessionId
  const what =
    found.length === 0
      ? `No session of the 200 used last begins with ${characters}.`
      : `${found.length} sessions begin with ${characters}.`
  throw new IrisError('unknown_session', what, 'Give its whole id: "iris sessions" shows it.')
}

function cellsOf(turn: Turns['turns'][number]): readonly string[] {
  const { turnId, acceptedAt, status, message } = turn
  return [shortOf(turnId), new Date(acceptedAt).toISOString(), status, message.slice(0, 60)]
}

function labelOf(turn: Turns['turns'][number]): string {
  return cellsOf(turn)
    .join('  ')
    .replace(/\s*\n\s*/g, ' ')
}

function transcriptLines({ message, parts, status, source }: Transcript): readonly string[] {
  return ['', ...block('>', message), ...parts.flatMap(partLines), `(${status}; known from: ${source})`, '']
}

function partLines(part: Transcript['parts'][number]): readonly string[] {
  switch (part.kind) {
    case 'text':
      return block('<', part.text)
    case 'thinking':
      return block('~', part.text)
    case 'tool': {
      const result = part.result === undefined ? [] : block(part.isError === true ? '!' : '=', part.result)
      return [`  $ ${part.name} ${part.input}`, ...result]
    }
    case 'compaction':
      return ['  (the conversation was made shorter)']
    case 'continued':
      return ['  (its process had ended; the work was taken up again)']
    case 'note':
      return [`  (${part.text})`]
  }
}

function block(sign: string, text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${sign} ${line}`)
}

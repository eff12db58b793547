import type { Output } from '../../../adapters/client/tool-call.ts'
import { counted } from '../../../app/cli/counted.ts'
import { momentText } from '../../../app/cli/moment.ts'
import { secondsText } from '../../../base/lib/duration.ts'
import { cutLine, plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { turnStandingOf } from '../../../base/protocol/standing.ts'
import { waitsForText } from '../../../base/protocol/waits-for-text.ts'

type Trace = Output<'trace_turn'>
type Traced = Trace['turns'][number]

/** Characters of a message or an input. */
const longest = 100
/** Characters of a step. A step explains what happened, so the limit is high enough never to cut its reason. */
const maxStep = 4000

/** The tree of asks; each turn with its tools and its times. */
export function traceLines({ turns, tree, nextCursor, turnId }: Trace): readonly string[] {
  const depths = new Map<string, number>()
  const lines = turns.flatMap((turn) => {
    const above = turn.parentTurnId === null ? undefined : depths.get(turn.parentTurnId)
    const depth = above === undefined ? 0 : above + 1
    depths.set(turn.turnId, depth)
    return turnLines(turn, turn.turnId === turnId).map((line) => `${'  '.repeat(depth)}${line}`)
  })
  const more = nextCursor === undefined ? [] : [`For more, add --cursor ${nextCursor}`]
  return [...lines, ...more, `${counted(tree.turns, 'turn')}, ${tree.tokens} tokens, $${tree.costUsd.toFixed(4)}`]
}

function turnLines(turn: Traced, isAsked: boolean): string[] {
  const { turnId, reason, message, attachments, tools, times } = turn
  const standing = turnStandingOf(turn)
  const ended = reason === null ? standing : `${standing} (${reason})`
  const spent = Object.entries(times).filter(([, ms]) => ms > 0)
  return [
    `${isAsked ? '*' : '-'} ${shortId(turnId)}  ${shownPair(turn)}  ${ended}  ${plainLine(message, longest)}`,
    ...(attachments ? [`    files: ${attachments.map(({ name }) => name).join(', ')}`] : []),
    ...(spent.length === 0 ? [] : [`    ${spent.map(([kind, ms]) => `${kind} ${secondsText(ms)}`).join(', ')}`]),
    ...tools.map(({ name, input, startedAt, endedAt, state }) => {
      const took = endedAt === null ? state.replace('_', ' ') : secondsText(endedAt - startedAt)
      return `    ${name} ${cutLine(input, longest)}  ${took}`
    }),
  ]
}

/** The steps of one turn, in order. */
export function whyLines({ steps, turns, turnId }: Trace): readonly string[] {
  const waitsFor = turns.find((turn) => turn.turnId === turnId)?.waitsFor
  const now = waitsFor && `${momentText(waitsFor.since)}  Waiting since then. ${waitsForText(waitsFor)}`
  return [
    ...steps.map(({ at, text }) => `${momentText(at)}  ${cutLine(text, maxStep)}`),
    ...(now ? [cutLine(now, maxStep)] : []),
  ]
}

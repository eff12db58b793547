import { isUnseen } from '../../base/lib/visible.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Turn } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'
import { withoutValue } from './missing-value.ts'

type Ledger = Pick<OrchestratorParts['ledger'], 'toolStarts'>

/** Limits the list of tools, so that the error text stays readable. */
const maxListedTools = 12
const maxListCharacters = 600

/** The end of a turn, with a reason if its agent returned neither the requested value nor any text. */
export function withoutAnswer(turn: Turn, verdict: Verdict, { ledger }: { readonly ledger: Ledger }): Verdict {
  const end = withoutValue(turn, verdict)
  const saidNothing = end.outcome === 'completed' && isUnseen(end.answer ?? '') && turn.value === undefined
  if (!saidNothing) return end
  const detail = [
    'The agent ended its turn without saying anything.',
    doneIn(turn, ledger),
    'Ask it in the same conversation what it did.',
    end.detail,
  ]
  return { ...end, reason: 'no_answer', answer: '', detail: detail.filter(Boolean).join(' ') }
}

/** The tools that the turn has used, with their files or commands, as a sentence. */
function doneIn(turn: Turn, { toolStarts }: Ledger): string {
  const starts = toolStarts.of([turn.id]).filter(({ within }) => within === null)
  if (starts.length === 0) return 'It used no tool.'
  const listed = starts.slice(0, maxListedTools).map(({ name, inputShort }) => `${name} ${inputShort}`.trim())
  const more = starts.length > maxListedTools ? `, and ${starts.length - maxListedTools} more` : ''
  const list = listed.join(', ')
  const short = list.length > maxListCharacters ? `${list.slice(0, maxListCharacters - 1).toWellFormed()}…` : list
  return `It used ${short}${more}.`
}

import { shortId } from '../../../base/lib/short-id.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { choicesFor } from '../../../features/permission/commands/decide.ts'
import { linesOf, oneLine } from '../../../features/permission/commands/permission-lines.ts'
import { wrapped } from '../wrapped.ts'
import { answerKeys } from './keys.ts'
import { ageText, around, dim, type Line, plain } from './line.ts'
import type { Seen } from './state.ts'
import { chosenQuestion, type View } from './view.ts'

const gone = 'This request is no longer open: it was answered, or is no longer needed.'

/** One row for each open question. */
export function questionLines(seen: Seen, view: View, now: number, height: number): readonly Line[] {
  const chosen = chosenQuestion(seen, view)
  const lines = seen.questions.map((question): Line => {
    const { team, toolName, shown, deadline } = question
    return [
      { text: question === chosen ? '❯ ' : '  ', bold: true },
      { text: `${oneLine(toolName)} of ${team}`, color: 'yellow', bold: question === chosen },
      { text: `  ${ageText(deadline - now)} left  `, dim: true },
      { text: shown.replace(/\s+/g, ' ') },
    ]
  })
  return around(lines, chosen === undefined ? 0 : seen.questions.indexOf(chosen), height)
}

/** The opened question with all details; no row of its input is left out, however long the input is. */
export function openedLines(seen: Seen, view: View, now: number, width: number): readonly Line[] {
  const question = chosenQuestion(seen, view)
  if (question === undefined) return wrapped(gone, Math.max(1, width)).map(dim)
  return linesOf(question, now).flatMap((line) => hanging(line, width).map(plain))
}

/** The answer that each key gives. */
export function choiceText(question: PermissionView): string {
  const keys = new Map(Object.entries(answerKeys).map(([key, decision]) => [decision, key]))
  return choicesFor(question)
    .map(({ value, label }) => `${keys.get(value)} ${label}`)
    .join('\n')
}

export function questionTitle(question: PermissionView | undefined): string {
  return question === undefined ? 'Request' : `Request ${shortId(question.permissionId)}`
}

/** Marks the rows in which a line continues, so that an agent's text cannot imitate a line of the question. */
function hanging(line: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrapped(line, Math.max(1, width - 4))
  return [first, ...rest.map((row) => `  … ${row}`)]
}

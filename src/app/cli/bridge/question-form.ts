import { askerName } from '../../../base/protocol/pair.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { oneLine } from '../../../features/permission/commands/permission-lines.ts'

/** The length that always fits into one line of a form at 80 columns; Claude Code 2.1.330 cuts the rest. */
const [lineFits, descriptionFits] = [72, 64]
/** How many characters of an input are shown. A form is not the place to read more. */
const most = 4000

export interface QuestionForm {
  readonly mode: 'form'
  readonly message: string
  readonly requestedSchema: object
}

/**
 * The form that asks a person. Claude Code 2.1.330 shows four lines of the form's message and one line below the field,
 * each cut at the edge. The choice is required and has no default, so that a stray key cannot allow anything.
 */
export function questionForm(permission: PermissionView, dashboard: string): QuestionForm {
  const { team, toolName, chain, shown, risks } = permission
  const [first = '', ...rest] = shown.split('\n').map((line) => oneLine(line))
  const others = rest.join('\n')
  const fits = first.length <= lineFits && others.length <= descriptionFits
  const lines = [
    `May ${oneLine(team)} use ${oneLine(toolName)}? Asked by ${oneLine(chain.map(askerName).join(' → '))}`,
    `> ${cut(first)}`,
    ...(risks.length === 0 ? [] : [`Look at: ${oneLine(risks.join('; '))}`]),
    fits ? `Also on the dashboard: ${dashboard}` : `If not all of it is shown, read it first: ${dashboard}`,
  ]
  const decision = {
    type: 'string',
    title: 'Your answer',
    ...(others !== '' && { description: cut(others) }),
    oneOf: [
      { const: 'allow', title: fits ? 'Allow once' : 'Allow once: I have read all of it' },
      { const: 'deny', title: 'Deny' },
    ],
  }
  const requestedSchema = { type: 'object', properties: { decision }, required: ['decision'] }
  return { mode: 'form', message: lines.join('\n'), requestedSchema }
}

function cut(text: string): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

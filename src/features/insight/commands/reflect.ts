import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import { indentedColumns } from '../../../app/cli/columns.ts'
import { counted } from '../../../app/cli/counted.ts'
import { localTime } from '../../../app/cli/moment.ts'
import type { Given, Run } from '../../../app/cli/table/spec.ts'
import { cutLine, plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { visible } from '../../../base/lib/visible.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { askerName } from '../../../base/protocol/pair.ts'

type Reflection = Output<'reflect'>

/** Prints what a person could change. With `--queries`, each figure is followed by its SQL statement. */
export async function reflect({ context, input, options, json }: Given): Promise<void> {
  const found = await ownerCall(context, 'reflect', input)
  if (json) context.sayJson(found)
  else for (const line of reflectionLines(found, options['queries'] === true, context.width)) context.say(visible(line))
}

export const applySuggestion: Run = (given) => decide(given, 'apply')
export const refuseSuggestion: Run = (given) => decide(given, 'refuse')

/** The first characters of the id are enough. */
async function decide({ context, input, json }: Given, decision: 'apply' | 'refuse'): Promise<void> {
  const begin = String(input['suggestionId'])
  const { askedTwice, rules } = await ownerCall(context, 'reflect', {})
  const found = [...askedTwice, ...rules].filter(({ suggestionId }) => suggestionId.startsWith(begin))
  const [suggestion] = found
  if (suggestion === undefined || found.length > 1) {
    const what = found.length > 1 ? `${found.length} suggestions begin` : 'No open suggestion begins'
    throw new IrisError('not_found', `${what} with ${begin}.`, '"iris insight reflect" lists them.')
  }
  const { suggestionId } = suggestion
  const diff = 'rule' in suggestion ? suggestion.rule : suggestion.diff
  const given = decision === 'apply' && diff !== undefined ? { diff } : {}
  const decided = await ownerCall(context, 'decide_suggestion', { suggestionId, decision, ...given })
  if (json) return context.sayJson(decided)
  if (decision === 'apply' && diff !== undefined) context.sayAsWritten(diff.trimEnd())
  context.say(decision === 'apply' ? 'Applied.' : "Dismissed. We won't suggest it again.")
}

interface Figure {
  readonly row: readonly string[]
  readonly query: string
}

function reflectionLines(found: Reflection, withQueries: boolean, width: number): readonly string[] {
  const { read, since, until, decided } = found
  if (!found.isOn) return ['Iris suggests nothing: insight.reflection is false in config.yaml.']
  const period = `${counted(read.asks, 'message')} from ${localTime(since)} to ${localTime(until)}`
  const applied = decided.filter(({ decision }) => decision === 'applied').length
  const kinds = [...suggested(found), ...noticed(found)].flatMap(([title, figures]) =>
    titled(width, title, figures, withQueries),
  )
  const past = decided.length === 0 ? [] : ['', `Applied so far: ${applied}. Dismissed: ${decided.length - applied}.`]
  return [`Read ${period}${kinds.length === 0 ? ', and found nothing to suggest' : ''}.`, ...kinds, ...past]
}

function titled(width: number, title: string, figures: readonly Figure[], withQueries: boolean): readonly string[] {
  if (figures.length === 0) return []
  const lines = withQueries
    ? figures.flatMap(({ row, query }) => [
        ...indentedColumns(width, [row]),
        ...query.split('\n').map((part) => `      ${part}`),
      ])
    : indentedColumns(
        width,
        figures.map(({ row }) => row),
      )
  return ['', `${title}:`, ...lines]
}

function suggested({ askedTwice, rules }: Reflection): readonly (readonly [string, readonly Figure[]])[] {
  return [
    [
      'Asked twice or more; "iris insight apply" writes the answer into CLAUDE.md',
      askedTwice.map(({ suggestionId, times, askers, to, message, answer, query }) => {
        const pair = `${askers.map(askerName).join(', ')} → ${to}`
        return {
          row: [shortId(suggestionId), `${times} times`, pair, plainLine(message, 60), plainLine(answer.answer, 60)],
          query,
        }
      }),
    ],
    [
      'Rules that would have saved permission requests',
      rules.map(({ suggestionId, times, team, rule, query }) => ({
        row: [shortId(suggestionId), counted(times, 'permission request'), team, rule],
        query,
      })),
    ],
  ]
}

function noticed({ costly, contradicted, circles }: Reflection): readonly (readonly [string, readonly Figure[]])[] {
  return [
    [
      'Most expensive pairs',
      costly.slice(0, 5).map(({ from, to, messages, costUsd, share, query }) => ({
        row: [
          `$${costUsd.toFixed(2)}`,
          `${Math.round(share * 100)} %`,
          `${askerName(from)} → ${to}`,
          counted(messages, 'message'),
        ],
        query,
      })),
    ],
    [
      'Answers that contradict each other',
      contradicted.map(({ to, message, said, saidLater, earlier, later, query }) => {
        const turns = `${shortId(earlier.turnId)} ${shortId(later.turnId)}`
        return { row: [to, plainLine(message, 60), `${said.join(' ')}, later ${saidLater.join(' ')}`, turns], query }
      }),
    ],
    [
      'Going in circles',
      circles.map(({ team, turnId, what, rounds, query }) => ({
        row: [team, `${rounds} rounds`, cutLine(what, 60), shortId(turnId)],
        query,
      })),
    ],
  ]
}

import type { Connection } from '../../../adapters/client/event-stream.ts'
import { joinedLines, plainLine } from '../../../base/lib/plain-line.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { standingOf } from '../../../base/protocol/standing.ts'
import { poolLine } from '../../../views/health/commands/status.ts'
import { call } from '../call.ts'
import { indentedColumns } from '../columns.ts'
import type { CommandContext } from '../context.ts'
import { daemonEvents, type StreamEvent } from '../daemon-events.ts'
import { interrupted } from '../exit-code.ts'
import { clockText } from './log-pane.ts'
import { begun, tells } from './work.ts'

const maxCharacters = 400

/** Prints the state, then a line for each event, until Ctrl-C; with `json` each event as a line of JSON. */
export async function tellPlainly(context: CommandContext, json: boolean): Promise<number> {
  const left = new AbortController()
  context.onceSignal('SIGINT', () => left.abort())
  let wasLost = false
  const onConnection = (connection: Connection): void => {
    if (json) return context.sayJson({ type: 'connection', connection })
    if (connection === 'lost' && !wasLost) context.note('Iris stopped; waiting for it to return.')
    if (connection === 'live' && wasLost) context.note('Iris is back.')
    if (connection === 'refused') context.note('Iris no longer accepts this program: run "iris doctor".')
    if (connection !== 'connecting') wasLost = connection === 'lost'
  }
  for await (const event of daemonEvents(context.env, '', left.signal, onConnection)) {
    if (json) context.sayJson(event)
    else if (event.type === 'snapshot') await saySnapshot(context, event)
    else sayEvent(context, event)
  }
  return interrupted
}

async function saySnapshot(context: CommandContext, event: Extract<StreamEvent, { type: 'snapshot' }>): Promise<void> {
  context.say(poolLine(event))
  const { sessions } = await call(context, 'get_switchboard', { awake: true })
  const rows = sessions.map((session) => [shownPair(session), standingOf(session), `${session.queueLength} queued`])
  for (const line of indentedColumns(context.width, rows)) context.say(line)
}

function sayEvent(context: CommandContext, event: Exclude<StreamEvent, { type: 'snapshot' }>): void {
  const about = aboutOf(event)
  if (about !== '' && 'sequence' in event) context.say(oneLine(`${clockText(event.at)}  ${event.type}  ${about}`))
}

/** The pair and details of an event; empty if other events tell more. */
function aboutOf(event: Exclude<StreamEvent, { type: 'snapshot' }>): string {
  switch (event.type) {
    case 'turn-text':
    case 'turn-thinking':
    case 'session-changed':
      return ''
    case 'permission:request':
    case 'permission:resolved':
    case 'permission:timeout': {
      const { team, toolName, state, permissionId } = event.permission
      return `${toolName} of ${team}: ${state}  ${permissionId}`
    }
    case 'turn-message': {
      const { marks, text } = tells(begun(event.turnId), event.message)
      const [tool] = marks
      if (tool === undefined && text === '') return ''
      return `${shownPair(event)}  ${tool === undefined ? `says: ${plainLine(text, maxCharacters)}` : `uses: ${tool.text}`}`
    }
    default:
      return fieldsOf(event)
  }
}

function fieldsOf(event: object): string {
  const {
    type: _type,
    at: _at,
    sequence: _sequence,
    teamName: _team,
    ...shownFields
  } = event as Record<string, unknown>
  const { from, to, thread, sessionId: _session, usage: _usage, ...rest } = shownFields
  const fields = Object.entries(rest).filter(([, value]) => value !== null)
  const texts = fields.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const isOfPair = typeof from === 'string' && typeof to === 'string' && typeof thread === 'string'
  return [...(isOfPair ? [shownPair({ from, to, thread })] : []), ...texts].join('  ') || '-'
}

function oneLine(text: string): string {
  const line = joinedLines(text)
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}

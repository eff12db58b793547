import type { Rule } from './script.ts'
import { isAct, perform } from './steps.ts'
import { lifecycle, type Turn } from './turn.ts'

/** `/compact`: the history becomes a summary. The acts of a rule that matches happen half-way. */
export async function compact(turn: Turn, rule: Rule): Promise<void> {
  const { session, message } = turn
  const { voice, transcript, meter } = session
  session.begun += 1
  meter.beginTurn()
  session.world.record({ event: 'message', uuid: message.uuid, text: message.text, ran: true })
  lifecycle(session, message, 'started')
  voice.event({ type: 'system', subtype: 'status', status: 'compacting' })
  for (const act of rule.steps.filter(isAct)) await turn.until(perform(act, turn))
  voice.event({ type: 'system', subtype: 'status', status: null, compact_result: 'success' })
  const preTokens = meter.contextTokens
  meter.compact()
  meter.add(summary)
  const metadata = { trigger: 'manual', pre_tokens: preTokens, post_tokens: meter.contextTokens }
  const uuid = voice.event({ type: 'system', subtype: 'compact_boundary', compact_metadata: metadata })
  transcript.entry(uuid, { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' })
  session.turns.length = 0
  turn.note(summary, { onLine: { isReplay: false, isSynthetic: true }, inEntry: { isCompactSummary: true } })
  say(turn, message.uuid, commandText)
  say(turn, session.world.newId(), '<local-command-stdout>Compacted </local-command-stdout>')
  turn.end({ kind: 'compacted' })
}

/** On stdout the two echoes come the other way round; nobody may rely on it. */
function say({ session }: Turn, uuid: string, content: string): void {
  const message = { role: 'user', content }
  const { voice, transcript } = session
  transcript.entry(uuid, { type: 'user', message })
  voice.event({ type: 'user', message, parent_tool_use_id: null, uuid, isReplay: true })
}

const summary = 'This session is being continued from a previous conversation that ran out of context.'
const commandText =
  '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>'

import type { Turn } from './turn.ts'

/** The echo stands before the synthetic message, the failure is a `success` that is an error. */
export function failRequest(turn: Turn, status: number, type: string, text: string): void {
  const { session } = turn
  turn.echo()
  const content = [{ type: 'text', text }]
  const message = { id: session.world.newId(), model: '<synthetic>', role: 'assistant', type: 'message', content }
  const error = status === 401 ? 'authentication_failed' : status === 429 ? 'rate_limit' : 'server_error'
  const line = { type: 'assistant', message, parent_tool_use_id: null, error }
  const uuid = session.voice.event({ ...line, is_api_error_message: true, api_error_status: status })
  session.transcript.entry(uuid, { type: 'assistant', message, error, isApiErrorMessage: true })
  turn.ending = { kind: 'api_error', status, type, text }
}

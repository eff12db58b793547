import type { Turn } from './turn.ts'

/** Claude Code's text for a conversation that the API finds too long: it leaves out the sizes. */
export const tooLongText = 'Prompt is too long'

/** The echo stands before the synthetic message, the failure is a `success` that is an error. */
export function failRequest(turn: Turn, status: number, type: string, text: string): void {
  const { session } = turn
  turn.echo()
  const content = [{ type: 'text', text }]
  const message = { id: session.world.newId(), model: '<synthetic>', role: 'assistant', type: 'message', content }
  const error = errorOf(status)
  const line = { type: 'assistant', message, parent_tool_use_id: null, error }
  const uuid = session.voice.event({ ...line, is_api_error_message: true, api_error_status: status })
  session.transcript.entry(uuid, { type: 'assistant', message, error, isApiErrorMessage: true })
  turn.ending = { kind: 'api_error', status, type, text }
}

function errorOf(status: number): string {
  if (status === 400) return 'invalid_request'
  if (status === 401) return 'authentication_failed'
  return status === 429 ? 'rate_limit' : 'server_error'
}

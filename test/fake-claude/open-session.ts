import { recall } from './recall.ts'
import { Session, type SessionOptions } from './session.ts'

/** Takes the session up, or says why not and ends the process as the real one does. */
export function openSession(options: Omit<SessionOptions, 'recollection'>): Session | undefined {
  const { world, commandLine, script } = options
  const { exitAtStart } = script
  if (exitAtStart !== undefined && !(exitAtStart.unlessFile && world.files.exists(exitAtStart.unlessFile))) {
    world.stderr(exitAtStart.stderr)
    return refuse(options, 'script', exitAtStart.code)
  }
  const text = world.transcript.read()
  if (commandLine.resume === undefined) {
    if (text !== undefined) {
      world.stderr(`Error: Session ID ${commandLine.sessionId} is already in use.\n`)
      return refuse(options, 'in use', 1)
    }
    world.record({ event: 'start' })
    return new Session({ ...options, recollection: undefined })
  }
  const recollection = text === undefined ? undefined : recall(text)
  if (recollection === undefined) {
    sayUnknown(options, commandLine.resume)
    return refuse(options, 'no conversation', 1)
  }
  world.record({ event: 'resume' })
  return new Session({ ...options, recollection })
}

function refuse({ world }: Pick<SessionOptions, 'world'>, why: string, code: number): undefined {
  world.record({ event: 'refused', why })
  world.self.exit(code)
}

function sayUnknown({ world }: Pick<SessionOptions, 'world'>, session_id: string): void {
  const error = `No conversation found with session ID: ${session_id}`
  world.stderr(`${error}\n`)
  const line = {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    session_id,
    total_cost_usd: 0,
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    modelUsage: {},
    permission_denials: [],
    uuid: world.newId(),
    errors: [error],
    result_index: 0,
  }
  world.stdout(`${JSON.stringify(line)}\n`)
}

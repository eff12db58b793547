import { HostError, HostGone } from './host.ts'
import { stringOr } from './recall.ts'
import type { Turn } from './turn.ts'

export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The tool does not run; the model reads why. */
export class Refused extends Error {
  readonly kind: string

  constructor(text: string, kind: string) {
    super(text)
    this.kind = kind
  }
}

const neverAsked = new Set(['Read', 'Glob', 'Grep'])

/** Asks the hook, then the host, as far as needed. Returns the input to run with; rejects with Refused. */
export async function permit(turn: Turn, use: ToolUse): Promise<Readonly<Record<string, unknown>>> {
  const { session } = turn
  if (!session.offers(use.name)) {
    throw new Refused(`<tool_use_error>Error: No such tool available: ${use.name}.</tool_use_error>`, 'no-such-tool')
  }
  const verdict = await askHooks(turn, use)
  // As if a rule of the person allowed it: a script's task in the background asks nobody.
  const isInBackground = use.input['run_in_background'] === true
  const isAllowed = verdict === 'allow' || isInBackground || neverAsked.has(use.name) || session.allows(use.name)
  if (verdict !== 'ask' && isAllowed) return use.input
  if (!session.commandLine.asksHost) {
    throw deny(turn, use, `Claude requested permissions to use ${use.name}, but you haven't granted it yet.`)
  }
  return askHost(turn, use)
}

async function askHooks(turn: Turn, use: ToolUse): Promise<'allow' | 'ask' | undefined> {
  const { session } = turn
  let verdict: 'allow' | 'ask' | undefined
  for (const callback_id of session.hookCallbacks(use.name)) {
    const input = hookInput(turn, use)
    const request = { subtype: 'hook_callback', callback_id, input, tool_use_id: use.id }
    const answer = await session.host.ask(request).catch((error: unknown): Record<string, unknown> => {
      if (error instanceof HostGone) throw new Refused(stoppedText, 'cancelled')
      // The real one continues as if the hook had said nothing.
      if (error instanceof HostError) return {}
      throw error
    })
    const output = (answer['hookSpecificOutput'] ?? {}) as Record<string, unknown>
    if (output['permissionDecision'] === 'deny' || answer['decision'] === 'block') {
      const reason = stringOr(output['permissionDecisionReason'], stringOr(answer['reason']))
      throw deny(turn, use, `PreToolUse:${use.name} hook error: ${reason}`)
    }
    const decision = output['permissionDecision']
    if (decision === 'allow' || decision === 'ask') verdict = decision
  }
  return verdict
}

async function askHost(turn: Turn, use: ToolUse): Promise<Readonly<Record<string, unknown>>> {
  const { name, input, id } = use
  const request = {
    subtype: 'can_use_tool',
    tool_name: name,
    display_name: name,
    input,
    permission_suggestions: [],
    tool_use_id: id,
  }
  const answer = await turn.session.host.ask(request).catch((error: unknown) => {
    const failed = 'Tool permission request failed:'
    if (error instanceof HostGone) {
      throw deny(turn, use, `${failed} AbortError: Tool permission stream closed before response received`)
    }
    if (error instanceof HostError) throw deny(turn, use, `${failed} Error: ${error.message}`)
    throw error
  })
  if (answer['behavior'] === 'allow') return (answer['updatedInput'] ?? input) as ToolUse['input']
  if (answer['interrupt'] === true) turn.interrupt()
  throw deny(turn, use, stringOr(answer['message']))
}

function deny(turn: Turn, { id, name, input }: ToolUse, text: string): Refused {
  turn.denials.push({ tool_name: name, tool_use_id: id, tool_input: input })
  return new Refused(text, 'permission-rule')
}

function hookInput({ session, message }: Turn, { id, name, input }: ToolUse): Record<string, unknown> {
  return {
    session_id: session.id,
    transcript_path: session.world.transcript.path,
    cwd: session.world.cwd,
    prompt_id: message.uuid,
    permission_mode: session.permissionMode,
    hook_event_name: 'PreToolUse',
    tool_name: name,
    tool_input: input,
    tool_use_id: id,
  }
}

const stoppedText =
  "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed."

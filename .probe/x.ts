import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinWorld } from '../test/support/pin-world.ts'
import { initialize, pipeHost } from '../src/app/probe/pipe-host.ts'

const version = process.argv[2] as any
const only = process.argv[3]
const bash = (command: string) => ({ toolUses: [{ name: 'Bash', input: { command } }] })
const hook = (event: string, command: string, matcher = '*') => ({ hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] } })
const out = (value: unknown) => `printf '%s' '${JSON.stringify(value)}'`
type Case = { say?: string; script?: any; settings?: any; args?: string[]; env?: any; during?: (cli: any) => Promise<void>; answerWithout?: boolean }
const err = (status: number, type: string, message: string) => ({ error: { status, type, message } })
const cases: Record<string, Case> = {
  end_turn: { script: () => ({ text: 'A' }) },
  stop_sequence: { script: () => ({ text: 'A', stopReason: 'stop_sequence' }) },
  max_tokens: { script: ({ conversation: { step } }: any) => ({ text: 'A', stopReason: 'max_tokens' }) },
  window: { script: () => ({ text: 'A', stopReason: 'model_context_window_exceeded' }) },
  pause: { script: () => ({ text: 'A', stopReason: 'pause_turn' }) },
  refusal: { script: () => ({ text: 'A', stopReason: 'refusal' }) },
  refusal_empty: { script: () => ({ stopReason: 'refusal' }) },
  compaction: { script: () => ({ text: 'A', stopReason: 'compaction' }) },
  unknown_stop: { script: () => ({ text: 'A', stopReason: 'new_reason' }) },
  tool_use_none: { script: () => ({ text: 'A', stopReason: 'tool_use' }) },
  empty: { script: () => ({}) },
  empty_text: { script: () => ({ text: '' }) },
  thinking: { script: () => ({ thinking: 'hm' }) },
  tool_then_empty: { script: ({ conversation: { step } }: any) => step === 0 ? bash('touch x') : {} },
  e400: { script: () => err(400, 'invalid_request_error', 'nope') },
  e401: { script: () => err(401, 'authentication_error', 'bad key') },
  e413: { script: () => err(413, 'request_too_large', 'too large') },
  e529: { script: () => err(529, 'overloaded_error', 'over') },
  eimage: { script: () => err(400, 'invalid_request_error', 'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 7 bytes > 5 bytes') },
  etoolong: { script: () => err(400, 'invalid_request_error', 'prompt is too long: 300000 tokens > 200000 maximum') },
  say_then_400: { script: ({ conversation: { step } }: any) => step === 0 ? { text: 'Let me check.', ...bash('true') } : err(400, 'invalid_request_error', 'nope') },
  stream_close: { script: () => ({ blocks: [{ text: 'PART-A.' }, { text: 'PART-B and more' }], breaks: 'close' }) },
  stream_error: { script: () => ({ blocks: [{ text: 'PART-A.' }, { text: 'PART-B and more' }], breaks: 'error' }) },
  stream_end: { script: () => ({ blocks: [{ text: 'PART-A.' }, { text: 'PART-B and more' }], breaks: 'end' }) },
  ups_exit2: { settings: hook('UserPromptSubmit', 'echo no secrets please >&2; exit 2') },
  ups_block: { settings: hook('UserPromptSubmit', out({ decision: 'block', reason: 'no secrets' })) },
  ups_stop: { settings: hook('UserPromptSubmit', out({ continue: false, stopReason: 'closed today' })) },
  ups_fail: { settings: hook('UserPromptSubmit', 'exit 1') },
  stop_block: { settings: hook('Stop', out({ decision: 'block', reason: 'lint fails' })), script: ({ conversation: { step } }: any) => ({ text: `ANSWER ${step}` }) },
  stop_once: { settings: hook('Stop', `test -e once || { touch once; ${out({ decision: 'block', reason: 'lint fails' })}; }`), script: () => ({ text: `ANSWER` }) },
  stop_stop: { settings: hook('Stop', out({ continue: false, stopReason: 'enough' })) },
  pre_stop: { settings: hook('PreToolUse', out({ continue: false, stopReason: 'not this tool' })), script: ({ conversation: { step } }: any) => step === 0 ? { text: 'Let me.', ...bash('true') } : { text: 'done' } },
  post_stop: { settings: hook('PostToolUse', out({ continue: false, stopReason: 'after this tool' })), script: ({ conversation: { step } }: any) => step === 0 ? { text: 'Let me.', ...bash('true') } : { text: 'done' } },
  batch_stop: { settings: hook('PostToolBatch', out({ continue: false, stopReason: 'after the batch' })), script: ({ conversation: { step } }: any) => step === 0 ? { text: 'Let me.', ...bash('true') } : { text: 'done' } },
  sessionstart_stop: { settings: hook('SessionStart', out({ continue: false, stopReason: 'no start' })) },
  max_turns: { args: ['--max-turns', '1'], script: () => ({ text: 'Let me.', ...bash('true') }) },
  budget: { args: ['--max-budget-usd', '0.0001'], script: ({ conversation: { step } }: any) => step < 3 ? { text: 'Let me.', ...bash('true') } : { text: 'done' } },
  structured: { args: ['--json-schema', '{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}'], script: () => ({ toolUses: [{ name: 'StructuredOutput', input: { a: 'x' } }] }) },
  compact: { say: '/compact' },
  cost: { say: '/cost' },
  context: { say: '/context' },
  slash_unknown: { say: '/nothing' },
  blocking: { env: { CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: '10', DISABLE_AUTO_COMPACT: '1', DISABLE_COMPACT: '1' } },
  malformed: { script: () => ({ text: 'x <function_calls>\n<invoke name="Bash">\n<parameter name="command">ls' }) },
  interrupt: { script: async () => { await new Promise((r) => setTimeout(r, 3000)); return { text: 'late' } }, during: async (cli) => { await new Promise((r) => setTimeout(r, 1000)); await cli.request({ subtype: 'interrupt' }) } },
  interrupt_tool: { script: () => bash('sleep 20'), during: async (cli) => { await new Promise((r) => setTimeout(r, 2500)); await cli.request({ subtype: 'interrupt' }) } },
}
const show = (line: any) => {
  const { type, subtype } = line
  if (type === 'result') {
    const { uuid, session_id, usage, modelUsage, duration_ms, duration_api_ms, ttft_ms, time_to_request_ms, permission_denials, fast_mode_state, total_cost_usd, user_message_uuids, user_message_uuid, ...rest } = line
    return 'RESULT ' + JSON.stringify(rest).slice(0, 900)
  }
  if (type === 'system' && !['init', 'status', 'session_state_changed'].includes(subtype)) { const { uuid, session_id, ...rest } = line; return 'SYS ' + JSON.stringify(rest).slice(0, 700) }
  if (type === 'assistant') return `ASSISTANT ${line.message.model === '<synthetic>' ? '<synthetic> ' : ''}${line.message.stop_reason} ${line.error ?? ''} ${JSON.stringify(line.message.content).slice(0, 200)}`
  if (type === 'user') return `USER${line.isReplay ? ' echo' : ''}${line.isMeta ? ' META' : ''} ${JSON.stringify(line.message.content).slice(0, 200)}`
  if (['stream_event', 'command_lifecycle', 'control_response', 'control_request'].includes(type)) return
  if (type === 'system') return
  return type + ' ' + JSON.stringify(line).slice(0, 300)
}
for (const [name, c] of Object.entries(cases)) {
  if (only && !new RegExp(only).test(name)) continue
  console.log(`\n### ${name} (${version})`)
  try {
    await using world = await pinWorld(version, c.script ?? (() => ({ text: 'fine' })))
    if (c.settings) { mkdirSync(join(world.project, '.claude'), { recursive: true }); writeFileSync(join(world.project, '.claude', 'settings.json'), JSON.stringify(c.settings)) }
    const sessionId = crypto.randomUUID()
    const cli = world.start({ answer: pipeHost().answer, args: ['--session-id', sessionId, ...(c.args ?? [])], env: c.env })
    await cli.request(initialize)
    const turn = cli.turn(c.say ?? 'hello')
    if (c.during) await c.during(cli)
    const lines = await turn
    for (const line of cli.lines) { const s = show(line); if (s) console.log(s) }
    await cli.end()
    console.log('TURNS', world.model.requests.turns)
    if (process.argv[4]) for (const l of world.transcript(sessionId)) console.log('T', JSON.stringify({ t: l.type, meta: l.isMeta, stop: (l as any).message?.stop_reason, c: (l as any).message?.content }).slice(0, 300))
  } catch (e) { console.log('FAILED', String(e).slice(0, 600)) }
}

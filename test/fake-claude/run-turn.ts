import { compact } from './compact.ts'
import type { Rule } from './script.ts'
import type { Session } from './session.ts'
import { perform } from './steps.ts'
import { Interrupted, type Turn } from './turn.ts'

const defaultRule: Rule = { steps: [{ text: 'echo: {{lastLine}}' }] }

/** Plays the rule for a message, from its first line to its result. */
export async function runTurn(turn: Turn): Promise<void> {
  const { session, message } = turn
  const rule = chooseRule(session, message.text)
  if (rule.wrongSessionId !== undefined) session.voice.sessionId = rule.wrongSessionId
  try {
    if (message.text === '/compact') await compact(turn, rule)
    else await play(turn, rule)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    endInterrupted(turn)
  }
  const asked = [message, ...turn.folded]
  session.turns.push(...asked.map(({ uuid, text }) => ({ uuid, text, answer: turn.answer, answered: true })))
  if (session.bare) session.transcript.flush()
  if (session.turns.length === 1) for (const act of session.script.atRest ?? []) await perform(act, turn)
}

async function play(turn: Turn, rule: Rule): Promise<void> {
  turn.begin()
  for (const step of rule.steps) {
    await turn.until(perform(step, turn))
    // The model turns to a message that joined a turn of the CLI's own.
    const joined = turn.message.asked ? undefined : turn.folded.find(({ asked }) => asked)
    if (joined === undefined) continue
    for (const next of chooseRule(turn.session, joined.text).steps) await turn.until(perform(next, turn))
    break
  }
  turn.speech.close('end_turn')
  if (turn.resultCopies > 0) turn.end(turn.ending ?? { kind: 'completed' })
}

function endInterrupted(turn: Turn): void {
  const { openTool } = turn
  turn.echo()
  turn.speech.abort()
  if (openTool === undefined) {
    turn.note([{ type: 'text', text: '[Request interrupted by user]' }])
    return turn.end({ kind: 'interrupted', during: 'text' })
  }
  const content = openTool.running ? `${rejectedText} ${runningText}` : rejectedText
  const meta = [{ id: openTool.id, non_execution_kind: 'user-rejected' }]
  turn.note([{ type: 'tool_result', content, is_error: true, tool_use_id: openTool.id }], {
    onLine: { tool_use_result: 'User rejected tool use', tool_result_meta: meta },
    inEntry: { toolUseResult: 'User rejected tool use', toolDenialKind: 'user-rejected' },
  })
  turn.note([{ type: 'text', text: '[Request interrupted by user for tool use]' }])
  turn.end({ kind: 'interrupted', during: 'tool' })
}

function chooseRule({ script, world }: Session, text: string): Rule {
  const rule = script.rules?.find(
    ({ when, onceFile }) => matches(when, text) && (onceFile === undefined || world.files.claim(onceFile)),
  )
  return rule ?? defaultRule
}

function matches(when: Rule['when'], text: string): boolean {
  if (when === undefined) return true
  return typeof when === 'string' ? text.includes(when) : new RegExp(when.regex).test(text)
}

const rejectedText =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  'new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.'
const runningText =
  'Correction to the text above: this call was stopped while running, not refused before it ran. ' +
  'It may have run in part or in full, and its changes may have been written. No permission prompt was involved. ' +
  'Work it started elsewhere (a remote command, a background process) may still be running, so check before starting ' +
  'the same work again. The instruction to stop and wait still stands.'

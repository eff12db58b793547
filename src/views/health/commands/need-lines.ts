import type { Output } from '../../../adapters/client/tool-call.ts'
import { call } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { counted } from '../../../app/cli/counted.ts'
import { processTag } from '../../../app/cli/inside-agent.ts'

type Needs = Output<'get_inbox'>['needs']

/** A line about what needs the owner; no line for other callers. */
export async function needLines(context: CommandContext): Promise<readonly string[]> {
  if (context.env[processTag]) return []
  const found = await call(context, 'get_inbox', { limit: 1 }).catch(() => undefined)
  return found === undefined ? [] : needWords(found.needs)
}

/**
 * `3 need you: 1 permission request waits, 2 conversations failed.`, with the same counts as the inbox; no line if
 * nothing needs you.
 */
export function needWords({ waiting, failed, openElsewhere, expired }: Needs): readonly string[] {
  const sum = waiting + failed + openElsewhere + expired
  if (sum === 0) return []
  const parts = [
    [waiting, `${counted(waiting, 'permission request')} ${waiting === 1 ? 'waits' : 'wait'}`],
    [expired, `${counted(expired, 'permission request')} expired`],
    [failed, `${counted(failed, 'conversation')} failed`],
    [openElsewhere, `${counted(openElsewhere, 'conversation')} open elsewhere`],
  ] as const
  const said = parts.flatMap(([count, words]) => (count > 0 ? [words] : []))
  return [`${sum} ${sum === 1 ? 'needs' : 'need'} you: ${said.join(', ')}.`]
}

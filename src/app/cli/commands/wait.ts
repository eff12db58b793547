import type { Input } from '../../../adapters/client/tool-call.ts'
import { call } from '../call.ts'
import { counted } from '../counted.ts'
import { goesOn } from '../exit-code.ts'
import type { Given } from '../table/spec.ts'

/** Returns when a team is idle; the exit code says whether it is. */
export async function wait({ context, input, json }: Given): Promise<number> {
  const wanted = { timeout: 0, ...input } as Input<'session_wait'>
  const found = await call(context, 'session_wait', wanted, { signal: new AbortController().signal })
  const { team, status, messages } = found
  if (json) context.sayJson(found)
  else context.say(status === 'idle' ? `${team} is idle.` : `${team} still has ${counted(messages, 'message')}.`)
  return status === 'idle' ? 0 : goesOn
}

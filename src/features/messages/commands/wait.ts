import type { Input } from '../../../adapters/client/tool-call.ts'
import { overRestarts } from '../../../app/cli/ask/over-restarts.ts'
import { call } from '../../../app/cli/call.ts'
import { counted } from '../../../app/cli/counted.ts'
import { stillRunning } from '../../../app/cli/exit-code.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { systemClock } from '../../../base/lib/clock.ts'

/** Returns when a team is idle; the exit code says whether it is. */
export async function wait({ context, input, json }: Given): Promise<number> {
  const wanted = { timeout: 0, ...input } as Input<'session_wait'>
  const { signal } = new AbortController()
  const began = systemClock.elapsed()
  const found = await overRestarts(signal, () => {
    const { timeout = 0 } = wanted
    const left = timeout > 0 ? Math.max(1, Math.round(timeout - (systemClock.elapsed() - began))) : timeout
    return call(context, 'session_wait', { ...wanted, timeout: left }, { signal })
  })
  const { team, status, messages } = found
  if (json) context.sayJson(found)
  else if (status === 'idle') context.say(`${team} is idle.`)
  else
    context.say(
      messages === 0 ? `${team} is working on its own.` : `${team} still has ${counted(messages, 'message')}.`,
    )
  return status === 'idle' ? 0 : stillRunning
}

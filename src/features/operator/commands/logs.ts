import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { call } from '../../../app/cli/call.ts'
import { daemonFrames } from '../../../app/cli/daemon-events.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { localTimeWithMs } from '../../../app/cli/moment.ts'
import { isOffline } from '../../../app/cli/offline.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { millisecondsOf } from '../../../base/lib/instant.ts'
import { joinedLines } from '../../../base/lib/plain-line.ts'
import { fieldsText, isAbout } from '../../../base/protocol/log-entry.ts'

type Entry = Exclude<Output<'get_logs'>['logs'][number], string>

/**
 * Prints the daemon's log, or its file if no daemon is running. With --follow, prints kept and new entries until
 * Ctrl-C.
 */
export async function logs({
  context,
  env,
  input,
  options,
  json,
  daemon: { offline },
}: Given): Promise<number | undefined> {
  const wanted: Input<'get_logs'> = { level: 'info', ...input }
  if (options['follow'] !== true) {
    const found = (await isOffline(env)) ? await offline.logs(env, wanted) : await call(context, 'get_logs', wanted)
    if (json) {
      context.sayJson(found)
      return undefined
    }
    for (const entry of found.logs as readonly Entry[]) context.say(logLine(entry))
    if (found.matching > found.logCount)
      context.note(`(the newest ${found.logCount} of ${found.matching}; --limit shows more)`)
    if (found.logs.length === 0) context.note('Nothing was logged.')
    return undefined
  }
  const [least = 'info'] = [wanted.level ?? []].flat()
  // Throws at once when the caller may not read the log.
  await call(context, 'get_logs', { limit: 1 })
  const left = new AbortController()
  context.onceSignal('SIGINT', () => left.abort())
  for await (const { data } of daemonFrames(env, `logs=${least}&only=logs`, left.signal)) {
    const { entries = [], missed = 0 } = data as { entries?: readonly Entry[]; missed?: number }
    if (missed > 0 && !json) context.say(`(${missed} lines were missed)`)
    for (const entry of entries) {
      if (!fits(wanted, entry)) continue
      if (json) context.sayJson(entry)
      else context.say(logLine(entry))
    }
  }
  return interrupted
}

/** Selects as the daemon does for `get_logs`. */
function fits({ storeName, since, ...about }: Input<'get_logs'>, entry: Entry): boolean {
  const isOfPart = storeName === undefined || entry.context === storeName
  return isOfPart && (since === undefined || entry.timestamp > millisecondsOf(since)) && isAbout(about, entry)
}

const contextWidth = 16

/** `2026-11-22 14:03:59.123  info   orchestrator      Message answered  frontend→backend turn=1f2e3d4c duration=1.25s` */
export function logLine({ timestamp, level, context, message, ids }: Entry): string {
  const [text = '', fields = ''] = [message, fieldsText(ids)].map(joinedLines)
  return `${localTimeWithMs(timestamp)}  ${level.padEnd(5)}  ${context.padEnd(contextWidth)}  ${text}${fields && `  ${fields}`}`
}

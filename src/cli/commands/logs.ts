import type { Input } from '../../client/tool-call.ts'
import { isRecord } from '../../lib/is-record.ts'
import { call } from '../call.ts'
import type { Given } from '../command/spec.ts'
import { daemonFrames } from '../daemon-events.ts'
import { note, say, sayJson } from '../say.ts'

/** What the daemon has logged; with --follow, then what it logs, until Ctrl-C. */
export async function logs({ env, input, options, json }: Given): Promise<void> {
  const wanted = input as Input<'get_logs'>
  if (options['follow'] !== true) {
    const found = await call(env, 'get_logs', wanted)
    if (json) return sayJson(found)
    for (const entry of found.logs) say(lineOf(entry))
    if (found.logs.length === 0) note('Nothing was logged.')
    return
  }
  const least = [wanted.level ?? 'debug'].flat()[0] ?? 'debug'
  // Who may not read it, or where nobody runs, is told so before the first line is waited for.
  await call(env, 'get_logs', { limit: 1 })
  const left = new AbortController()
  process.once('SIGINT', () => left.abort())
  for await (const { data } of daemonFrames(env, `logs=${least}&only=logs`, left.signal)) {
    const { entries = [], missed = 0 } = data as { entries?: readonly unknown[]; missed?: number }
    if (missed > 0 && !json) say(`(${missed} lines were missed)`)
    for (const entry of entries) {
      if (wanted.storeName !== undefined && !(isRecord(entry) && entry['context'] === wanted.storeName)) continue
      if (json) sayJson(entry)
      else say(lineOf(entry))
    }
  }
}

function lineOf(entry: unknown): string {
  if (!isRecord(entry)) return String(entry)
  const { timestamp, level, context, message, ids } = entry
  const more = isRecord(ids) && Object.keys(ids).length > 0 ? `  ${JSON.stringify(ids)}` : ''
  const at = typeof timestamp === 'number' ? new Date(timestamp).toISOString() : ''
  return `${at}  ${String(level).padEnd(5)}  ${String(context)}  ${String(message)}${more}`
}

import { IrisError } from '../../base/protocol/error.ts'
import type { Domain } from './call.ts'
import type { SendInput } from './messages.ts'
import { isForLater } from './schedules.ts'

/** Whether an ask of this team is to hear of changed files at once. Throws `invalid_input` where Iris never could say so. */
export function reportsAtOnce(input: SendInput, to: string, domain: Pick<Domain, 'cluster' | 'config'>): boolean {
  if (input.onChange !== 'atOnce') return false
  const why = whyNever(input, to, domain)
  if (why === undefined) return true
  throw new IrisError('invalid_input', `onChange: atOnce would never report anything. ${why}`, 'Leave onChange out.')
}

function whyNever(input: SendInput, to: string, { cluster, config }: Pick<Domain, 'cluster' | 'config'>) {
  const host = cluster.hosts.hostOf(to)
  if (host !== undefined) return `"${to}" is on ${host.name}, and this host does not see the files there.`
  if (!config().insight.drift) return 'No files are compared: insight.drift is false in config.yaml.'
  if (input.deliver === 'live') return 'Iris does not see which files an open session reads.'
  return isForLater(input) ? 'Nobody waits for the answer of a scheduled message.' : undefined
}

import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { ClusterView } from '../../cluster/view.ts'
import type { sendMessage } from '../contract/messages.ts'

/** The dependencies of these operations. */
export interface OnChangeParts {
  readonly config: () => Config
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
}

type Asked = Pick<z.output<typeof sendMessage.input>, 'onChange' | 'deliver' | 'at' | 'every'>
type Known = Pick<OnChangeParts, 'cluster' | 'config'>

/**
 * Whether to notify this asker of changed files at once. Throws `invalid_input` if Iris would never be able to do that.
 */
export function reportsAtOnce(asked: Asked, to: string, known: Known): boolean {
  if (asked.onChange !== 'atOnce') return false
  const why = whyNever(asked, to, known)
  if (why === undefined) return true
  throw new IrisError('invalid_input', `onChange: atOnce would never report anything. ${why}`, 'Leave onChange out.')
}

function whyNever({ deliver, at, every }: Asked, to: string, { cluster, config }: Known): string | undefined {
  const host = cluster.hosts.hostOf(to)
  if (host !== undefined) return `"${to}" is on ${host.name}, and this host does not see the files there.`
  if (!config().insight.drift) return 'No files are compared: insight.drift is false in config.yaml.'
  if (deliver === 'live') return 'Iris does not see which files an open session reads.'
  return (at ?? every) === undefined ? undefined : 'Nobody waits for the answer of a scheduled message.'
}

import type { Exit } from '../../base/lib/program-end.ts'
import { HostError } from './host-error.ts'

/** How a run ended, according to its record on the host. */
export interface RunEnd {
  readonly exit: Exit
  /** The length of the whole output. */
  readonly bytes: number
  readonly why: RunEndReason
  readonly pid: number
}

const reasons = ['ended', 'grace', 'vanished', 'never', 'buried'] as const
type RunEndReason = (typeof reasons)[number]

/** Appended to stderr, for people. */
export const reasonTexts: Readonly<Record<RunEndReason, string>> = {
  ended: '',
  grace: 'Iris’s supervisor on the host ended it: the link was not restored within the grace period.\n',
  vanished: 'It vanished from the host without an exit code: the host was restarted, or its supervisor was ended.\n',
  never: 'The host accepted the command but never started it.\n',
  buried: 'Iris gave up starting it.\n',
}

/** The exit codes that mean SIGKILL. A program can handle other signals and exit with their codes itself. */
const killed = ['-', '137']

/** Parses a record such as "143 1024 ended 4711". An unknown code is "-" and counts as killed. Throws HostError. */
export function parseRunEnd([code = '', bytes = '', why = '', pid = '']: readonly string[]): RunEnd {
  const reason = reasons.find((each) => each === why)
  if (!/^(-|\d{1,3})$/.test(code) || !/^\d{1,15}$/.test(bytes) || !/^\d{1,10}$/.test(pid) || reason === undefined) {
    throw new HostError('protocol', 'The host described the end of a program in a form that Iris does not know.')
  }
  const exit = killed.includes(code) ? { code: null, signal: 'SIGKILL' as const } : { code: Number(code), signal: null }
  return { exit, bytes: Number(bytes), why: reason, pid: Number(pid) }
}

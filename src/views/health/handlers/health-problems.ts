import type { z } from 'zod'
import { littleSpace } from '../../../base/lib/disk-space.ts'
import { fileSize } from '../../../base/lib/file-size.ts'
import { manyKept, maxKept } from '../../../base/protocol/attachment.ts'
import type { Broken } from '../../../base/protocol/broken.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import type { getHealth, HealthProblem } from '../contract.ts'

type Figures = Omit<z.output<typeof getHealth.output>, 'problems' | 'needs'>

/** How long a delay of the event loop must be for a person to notice it, in milliseconds. */
const lateMs = 200
const slowCommitMs = 100
/** In bytes. SQLite resets the write-ahead log at about 4 MB; if it is much larger, a reader is preventing that. */
const longWal = 256 * 1024 * 1024

/** Everything that does not work, and the problems that the figures show, each with its remedy; errors first. */
export function problemsOf(figures: Figures, broken: readonly Broken[] = []): HealthProblem[] {
  const problems = [
    ...storeProblems(figures.store),
    ...configProblems(figures),
    ...brokenProblems(broken),
    ...claudeProblems(figures),
    ...breakerProblems(figures),
    ...loopProblems(figures),
    ...isolationProblems(figures),
    ...featureProblems(figures),
  ]
  return problems.toSorted((a, b) => rank(a) - rank(b))
}

function rank({ severity }: HealthProblem): number {
  return severity === 'error' ? 0 : 1
}

function problem(severity: HealthProblem['severity'], what: string, remedy: string): HealthProblem {
  return { severity, what, remedy }
}

function storeProblems({
  damage,
  unrecordedEnds,
  rebuilt,
  restored,
  walBytes,
  attachmentBytes,
  disk,
  commits,
}: Figures['store']): HealthProblem[] {
  const found: HealthProblem[] = []
  if (damage !== undefined) {
    found.push(
      problem(
        'error',
        `The store is damaged, and Iris refuses messages: ${damage}.`,
        'Run "iris stop", then "iris start".',
      ),
    )
  }
  if (unrecordedEnds > 0) {
    found.push(
      problem(
        'error',
        `The store could not record how ${unrecordedEnds} messages ended. Nothing new starts until it can.`,
        'Check the disk of IRIS_HOME: is it full, missing, or locked by another program? Iris then continues by itself.',
      ),
    )
  }
  if (disk !== undefined && disk.freeBytes < littleSpace) {
    found.push(
      problem('error', 'The disk of the store is nearly full.', 'Free up space on it before messages are refused.'),
    )
  }
  if (rebuilt !== undefined) {
    const kept = rebuilt.setAside === null ? '' : ` The file that was in its place is kept: ${rebuilt.setAside}.`
    const what = `The store was damaged or lost (${rebuilt.why}) and was rebuilt at this start.${kept}`
    found.push(problem('warning', what, `Look at the ${rebuilt.inDoubt} messages whose end is in doubt.`))
  }
  if (restored !== undefined) {
    const kept = restored.setAside === null ? '' : ` The file that was in its place is kept: ${restored.setAside}.`
    const what = `The store file was deleted or replaced while Iris was running (${restored.why}). Iris restored it; nothing is lost.${kept}`
    found.push(problem('warning', what, 'Find out what changed files in IRIS_HOME. Stop Iris before you change any.'))
  }
  if ((commits.p99Ms ?? 0) > slowCommitMs) {
    found.push(
      problem('warning', 'The disk is slow: a commit can take more than 100 ms.', 'See what else is using the disk.'),
    )
  }
  if (walBytes > longWal) {
    const what = "The store's write-ahead log grows and SQLite cannot shrink it."
    found.push(problem('warning', what, 'Close the program that has the store open, such as a backup.'))
  }
  if (attachmentBytes >= manyKept) {
    const what = `Attached files take ${fileSize(attachmentBytes)} of the store; at ${fileSize(maxKept)}, messages with files are refused.`
    found.push(problem('warning', what, 'Delete conversations that you do not need, with their transcripts.'))
  }
  return found
}

function configProblems({ configProblem }: Figures): HealthProblem[] {
  if (configProblem === undefined) return []
  const what = `Iris is not using the last saved config.yaml: ${configProblem}`
  return [problem('error', what, 'Fix the file and save it. Until then, Iris keeps using the previous configuration.')]
}

/** Leaves out the configuration, which the figures already contain. */
function brokenProblems(broken: readonly Broken[]): HealthProblem[] {
  return broken
    .filter(({ kind }) => kind !== 'configuration')
    .map(({ kind, what, remedy, since }) => ({
      ...problem(kind === 'account' ? 'warning' : 'error', what, remedy),
      ...(since !== undefined && { since }),
    }))
}

function claudeProblems({ claudeProblem }: Figures): HealthProblem[] {
  if (claudeProblem === undefined) return []
  return [problem('warning', claudeProblem, 'Run "iris doctor --probe": it says what differs, and what that breaks.')]
}

function breakerProblems({ breakers }: Figures): HealthProblem[] {
  return breakers.map(({ cause, retryAt, ...pair }) =>
    problem(
      'error',
      `The process of ${shownPair(pair)} keeps failing. The last time: ${cause}`,
      `Run claude there by hand to find the cause, and fix it. Iris tries again after ${new Date(retryAt).toISOString()}.`,
    ),
  )
}

function loopProblems({ eventLoopDelay }: Figures): HealthProblem[] {
  if ((eventLoopDelay.p99Ms ?? 0) <= lateMs) return []
  const what = 'The daemon is slow: another program is using the processor, or a single piece of work takes too long.'
  return [problem('warning', what, 'Check how busy the machine is, and read the log of that time.')]
}

function isolationProblems({ isolation }: Figures): HealthProblem[] {
  return isolation.flatMap(({ team, level, holds, detail }) => {
    if (holds || level === 'none') return []
    const what = `The isolation "${level}" of team ${team} does not hold here: ${detail}.`
    return [problem(level === 'sandbox' ? 'error' : 'warning', what, 'See docs/guide/isolation.md for what it needs.')]
  })
}

function featureProblems({ features }: Figures): HealthProblem[] {
  return features.flatMap(({ name, faults }) => {
    if (faults === 0) return []
    const times = faults === 1 ? 'once' : `${faults} times`
    const what = `The feature "${name}" failed ${times} since Iris started. Iris continued without it.`
    return [problem('warning', what, 'Run "iris logs --level error", and report the lines of that feature.')]
  })
}

import { IrisError } from '../../base/protocol/error.ts'
import type { Environment } from '../../platform/config/home.ts'

/** What the daemon tags the processes of its agents with, and all that they start. */
export const processTag = 'IRIS_PROCESS'

/** An agent asks by the Iris that started it; to run another one is its person's to do. Throws `not_allowed`. */
export function refuseInsideAgent(env: Environment, what: string): void {
  if (!env[processTag]) return
  throw new IrisError(
    'not_allowed',
    `This runs inside an agent of Iris, which may not ${what}.`,
    "Use the tools of Iris that the agent has; the rest is its person's, in a terminal of their own.",
  )
}

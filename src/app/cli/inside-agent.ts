import { existsSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'
import { type Environment, homePaths } from '../../platform/config/home.ts'

/** What the daemon tags the processes of its agents with, and all that they start. */
export const processTag = 'IRIS_PROCESS'

/**
 * Inside an agent, whose isolation may hide the home, a home without anything in it says nothing about Iris. Throws
 * `not_allowed`.
 */
export function refuseHidden(env: Environment, home: string): void {
  const { config, daemonFile } = homePaths(home)
  if (!env[processTag] || existsSync(config) || existsSync(daemonFile)) return
  throw new IrisError('not_allowed', notVisible(home), 'Use the tools of Iris.')
}

export function notVisible(home: string): string {
  return `Iris is not visible from here: this runs inside an agent, and its isolation hides ${home}.`
}

/** An agent asks by the Iris that started it; to run another one is its person's to do. Throws `not_allowed`. */
export function refuseInsideAgent(env: Environment, what: string): void {
  if (!env[processTag]) return
  throw new IrisError(
    'not_allowed',
    `This runs inside an agent of Iris, which may not ${what}.`,
    "Use the tools of Iris that the agent has; the rest is its person's, in a terminal of their own.",
  )
}

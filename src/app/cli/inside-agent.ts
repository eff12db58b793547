import { existsSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'
import { type Environment, homePaths } from '../../platform/config/home.ts'

/** The variable with the process tag, which all processes of an agent inherit. */
export const processTag = 'IRIS_PROCESS'

/**
 * Refuses inside an agent whose isolation may hide the home: an empty home then says nothing about Iris. Throws
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

/** Refuses inside an agent what only a person may do. Throws `not_allowed`. */
export function refuseInsideAgent(env: Environment, what: string): void {
  if (!env[processTag]) return
  throw new IrisError(
    'not_allowed',
    `This runs inside an agent of Iris, which may not ${what}.`,
    "Use the agent's Iris tools instead. A person can run this in their own terminal.",
  )
}

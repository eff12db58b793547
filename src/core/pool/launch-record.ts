import type { Secrets } from '../../base/lib/secrets.ts'
import { withoutSystemPrompt } from '../../claude/driver/command-line.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Command } from '../../platform/machine/child.ts'

/**
 * What is kept with a session of how its process was started: no environment but its names, of the system prompt its
 * length, nothing of where questions are forwarded to, and no secret that is known or looks like one.
 */
export function launchRecord({ executable, args }: Command, team: TeamConfig, secrets: Secrets) {
  const { env, appendSystemPrompt, forwardTo, ...rest } = team
  const snapshot = {
    ...rest,
    env: Object.keys(env),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt: `[${appendSystemPrompt.length} characters]` }),
    ...(forwardTo && { forwardTo: { format: forwardTo.format } }),
  }
  return {
    command: secrets.hideInText([executable, ...withoutSystemPrompt(args)].join(' ')),
    snapshot: JSON.stringify(secrets.hideIn(snapshot)),
  }
}

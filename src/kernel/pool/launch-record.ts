import type { Secrets } from '../../base/lib/secrets.ts'
import { withoutSystemPrompt } from '../../claude/driver/command-line.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Command } from '../../platform/machine/child.ts'

/**
 * The record of how a session's process was started. It contains only the names of the environment variables and only
 * the length of the system prompt. It has no forwarding address, and no string that is a known secret or looks like a
 * secret.
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

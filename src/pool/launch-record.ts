import type { TeamConfig } from '../config/config.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { Command } from '../transport/transport.ts'

/**
 * What is kept with a session of how its process was started: no environment but its names, of the system prompt its
 * length, nothing of where questions are forwarded to, and no secret that is known or looks like one.
 */
export function launchRecord({ executable, args }: Command, team: TeamConfig, secrets: Secrets) {
  const prompt = args.indexOf('--append-system-prompt') + 1
  const words = args.map((word, index) => (prompt > 0 && index === prompt ? lengthOf(word) : word))
  const { env, appendSystemPrompt, forwardTo, ...rest } = team
  const snapshot = {
    ...rest,
    env: Object.keys(env),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt: lengthOf(appendSystemPrompt) }),
    ...(forwardTo && { forwardTo: { format: forwardTo.format } }),
  }
  return {
    command: secrets.hideInText([executable, ...words].join(' ')),
    snapshot: JSON.stringify(secrets.hideIn(snapshot)),
  }
}

function lengthOf(text: string): string {
  return `[${text.length} characters]`
}

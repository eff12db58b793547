import type { Config } from './config.ts'

/** What config.yaml says and may not mean: nothing is wrong with it, so that it is in force. */
export interface Doubt {
  readonly text: string
  readonly remedy: string
}

const countedInSeconds = ['connectTimeout', 'serverAliveInterval'] as const

/** A bare number is milliseconds, where ssh itself counts seconds. */
export function doubtsOf({ teams }: Pick<Config, 'teams'>): readonly Doubt[] {
  return [...teams.values()].flatMap(({ name, remoteOptions }) =>
    countedInSeconds.flatMap((key) => {
      const ms = remoteOptions?.[key]
      if (ms === undefined || ms >= 1000) return []
      const path = `teams.${name}.remoteOptions.${key}`
      const text = `${path} is ${ms} milliseconds, and ssh gets 1 second: it counts whole seconds`
      return [{ text, remedy: `iris config set ${path} ${ms}s` }]
    }),
  )
}

import type { Config } from './config.ts'

/** A value in config.yaml that is probably unintended. It is valid, so it is in force. */
export interface Doubt {
  readonly text: string
  readonly remedy: string
}

type Doubtful = Pick<Config, 'settings' | 'teams' | 'channels' | 'triggers' | 'roles'>

/** The keys for which less than a second is too short. */
const longerThanASecond = [
  'spawnTimeout',
  'sessionInitTimeout',
  'responseTimeout',
  'maxSilence',
  'backgroundTimeout',
  'idleTimeout',
  'healthCheckInterval',
  'defaultTimeout',
  'queueTimeout',
  'permissionTimeout',
  'sessionTimeout',
  'cleanupInterval',
]
const countedInSeconds = ['connectTimeout', 'serverAliveInterval'] as const

/** Finds values that are probably unintended: a bare number means milliseconds, but many people expect seconds. */
export function doubtsOf(config: Doubtful): readonly Doubt[] {
  const { settings, teams, channels, triggers, roles } = config
  const named = [...Object.entries({ teams, channels, triggers, roles })].flatMap(([section, parts]) =>
    [...parts].map(([name, part]) => [`${section}.${name}`, part] as const),
  )
  return [['settings', settings] as const, ...named]
    .flatMap(([path, part]) => tooShort(path, part))
    .concat(ofSsh(teams))
}

function tooShort(path: string, part: object): readonly Doubt[] {
  const { budget } = part as { readonly budget?: { readonly time?: number } }
  const times = { ...part, 'budget.time': budget?.time }
  return Object.entries(times).flatMap(([key, ms]) => {
    const isMeant = typeof ms !== 'number' || ms <= 0 || ms >= 1000
    if (isMeant || !(key === 'budget.time' || longerThanASecond.includes(key))) return []
    const text = `${path}.${key} is ${ms} milliseconds, less than a second`
    return [{ text, remedy: `iris config set ${path}.${key} ${ms}s` }]
  })
}

/** Finds times for ssh below one second, which ssh gets as one second, because it counts in whole seconds. */
function ofSsh(teams: Config['teams']): readonly Doubt[] {
  return [...teams.values()].flatMap(({ name, remoteOptions }) =>
    countedInSeconds.flatMap((key) => {
      const ms = remoteOptions?.[key]
      if (ms === undefined || ms >= 1000) return []
      const path = `teams.${name}.remoteOptions.${key}`
      const text = `${path} is ${ms} milliseconds, but ssh gets 1 second, because it counts in whole seconds`
      return [{ text, remedy: `iris config set ${path} ${ms}s` }]
    }),
  )
}

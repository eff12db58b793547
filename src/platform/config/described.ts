import { z } from 'zod'
import { mapInTurns } from '../../base/lib/in-turns.ts'
import { CallbackEntry } from './callbacks.ts'
import { ChannelEntry } from './channels.ts'
import { Cluster } from './cluster.ts'
import type { Config } from './config.ts'
import { fieldDescriptions } from './field-descriptions.ts'
import { RoleEntry } from './roles.ts'
import { ConfigFile, Database, InsightEntry, Settings, TeamEntry } from './schema.ts'
import { isSecretKey } from './secret-keys.ts'
import { asEntry } from './team-rules.ts'
import { TriggerEntry } from './triggers.ts'

type Json = Record<string, unknown>

const groups = [
  [Settings, fieldDescriptions.settings],
  [Database, fieldDescriptions.database],
  [TeamEntry, fieldDescriptions.teams],
  [RoleEntry, fieldDescriptions.roles],
  [ChannelEntry, fieldDescriptions.channels],
  [CallbackEntry, fieldDescriptions.callbacks],
  [TriggerEntry, fieldDescriptions.triggers],
  [InsightEntry, fieldDescriptions.insight],
  [Cluster, fieldDescriptions.cluster],
] as const

/**
 * Created at the first call and then reused: creating the schema blocks other calls, and the schema does not change
 * while Iris runs.
 */
let schema: Json | undefined

/**
 * config.yaml as JSON Schema: `title` is a key's purpose, `description` says which values are allowed; see also
 * `FieldMetadata`.
 */
export function schemaOfConfig(): Json {
  schema ??= z.toJSONSchema(ConfigFile, {
    // Fields that accept several forms are described by the form after parsing.
    io: 'output',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A key with a default is not required.
      delete jsonSchema.required
      const [, titles] = groups.find(([group]) => group._zod.def === zodSchema._zod.def) ?? []
      for (const [key, property] of Object.entries(jsonSchema.properties ?? {})) {
        const title = asEntry(titles)?.[key]
        if (title !== undefined) Object.assign(property, { title })
      }
    },
  })
  return schema
}

/** The configuration in force with defaults, without secrets. Each team includes the `settings` that apply to it. */
export async function inForce({ settings, teams }: Config) {
  // `account` is left out: each team that uses its host's account already includes it.
  const shared = Object.keys(Settings.shape).filter((key) => key in TeamEntry.shape && key !== 'account')
  const forAll = Object.fromEntries(Object.entries(settings).filter(([key]) => shared.includes(key)))
  return {
    settings: withoutSecrets(['settings'], settings),
    teams: await mapInTurns(teams, ([name, { realPath: _realPath, unusable: _unusable, ...team }]) => ({
      name,
      config: withoutSecrets(['teams', name], { ...forAll, ...team, env: { ...settings.env, ...team.env } }),
    })),
  }
}

function withoutSecrets(path: readonly string[], part: object): Json {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const inner = [...path, key]
      const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (isMapping) return [key, withoutSecrets(inner, value)]
      return [key, isSecretKey(inner) ? '(hidden)' : value]
    }),
  )
}

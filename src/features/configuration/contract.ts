import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { ConfigChange, ConfigProblem } from '../../base/protocol/config-problem.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

// The largest file in bytes; a text never has more characters than bytes.
const Text = z
  .string()
  .max(1_048_576)
  .describe('The full text of config.yaml; a placeholder keeps the secret it replaces')
const Hash = z.string().nullable().describe('Hash of the file as it was read; null: there was no file')
const Values = z.record(z.string(), z.unknown())

export const getConfig = operation({
  name: 'get_config',
  routes: ['GET /api/config'],
  title: 'Read the configuration',
  description:
    'Returns the text of config.yaml with a placeholder for each secret, the configuration in force, and its JSON Schema. In the schema, `dangerous` says why a key cannot be changed over HTTP, `harmless` names the changes that are still allowed (to a value further left, or fewer or more items), and `restart` marks keys that take effect at the next start.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    file: z.string(),
    text: z
      .string()
      .nullable()
      .describe('null if the file cannot be read or is not YAML: its secrets cannot be found then'),
    hash: Hash,
    placeholder: z.string().describe('What replaces a secret in the text'),
    problem: z.string().optional().describe('Why the latest version of the file is not in force; absent if it is'),
    needsRestart: z.array(z.string()).describe('Keys whose new value takes effect at the next start'),
    schema: Values,
    settings: Values.describe('In force, with defaults; env and forwardTo without their secrets'),
    teams: z
      .array(z.object({ name: z.string(), config: Values }))
      .describe('Likewise, with the defaults from settings'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const checkConfig = operation({
  name: 'check_config',
  routes: ['POST /api/config/check'],
  title: 'Check a configuration',
  description: 'Returns the errors in a text for config.yaml, or what saving it would change. Changes nothing.',
  access: 'owner',
  isTool: false,
  input: z.object({ text: Text }),
  output: z.object({ problems: z.array(ConfigProblem), changes: z.array(ConfigChange), timestamp: Timestamp }),
  readOnly: true,
})

export const saveConfig = operation({
  name: 'save_config',
  routes: ['POST /api/config'],
  title: 'Save the configuration',
  description:
    'Writes config.yaml and puts it in force. Refused if the file has changed since it was read (config_conflict), if the text has errors (config_invalid), or if it changes a dangerous key (not_allowed).',
  access: 'owner',
  isTool: false,
  input: z.object({ text: Text, hash: Hash }),
  output: z.object({
    hash: z.string().describe('Hash of the new file'),
    changes: z.array(ConfigChange),
    timestamp: Timestamp,
  }),
  readOnly: false,
  destructive: true,
})

/** The events of this feature, by their types. */
export interface ConfigurationEvents {
  readonly 'config-reloaded': {
    readonly teamsAdded: readonly string[]
    readonly teamsRemoved: readonly string[]
    /** Changed keys, such as `settings.maxProcesses` or `teams.backend.model`. */
    readonly keys: readonly string[]
    /** Keys whose new value takes effect at the next start of the daemon. */
    readonly needsRestart: readonly string[]
  }
  /** The configuration in force does not change. `text` lists all problems for people. */
  readonly 'config-rejected': { readonly problems: readonly ConfigProblem[]; readonly text: string }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends ConfigurationEvents {}
}

import { z } from 'zod'
import { ConfigChange, ConfigProblem } from '../config-problem.ts'
import { operation } from './operation.ts'
import { Timestamp } from './pair.ts'

// As many bytes as the file may have; as characters never more.
const Text = z.string().max(1_048_576).describe('config.yaml as a whole; a placeholder keeps the secret that it is for')
const Hash = z.string().nullable().describe('Of the file as it was read; null when there was none')
const Values = z.record(z.string(), z.unknown())

export const getConfig = operation({
  name: 'get_config',
  routes: ['GET /api/config'],
  title: 'Read the configuration',
  description:
    'Returns the text of config.yaml with a placeholder for each secret, what is in force, and the JSON Schema of it all. In the schema `dangerous` says why a key is not changed over HTTP, and `harmless` which changes still are: to a value further to the left, or fewer or more items; `restart` marks what takes effect at the next start.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    file: z.string(),
    text: z
      .string()
      .nullable()
      .describe('null for a file that cannot be read or is no YAML: nothing tells its secrets from the rest'),
    hash: Hash,
    placeholder: z.string().describe('What stands in the text where a secret is'),
    problem: z.string().optional().describe('Why the file, as it was saved last, is not in force; absent when it is'),
    needsRestart: z.array(z.string()).describe('Keys whose value in the file waits for the next start'),
    schema: Values,
    settings: Values.describe('In force, with defaults; of env and forwardTo only what is no secret'),
    teams: z.array(z.object({ name: z.string(), config: Values })).describe('Likewise, with what settings say for all'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const checkConfig = operation({
  name: 'check_config',
  routes: ['POST /api/config/check'],
  title: 'Check a configuration',
  description:
    'Says what is wrong with a text for config.yaml, or, when nothing is, what saving it would change. Changes nothing.',
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
    'Writes config.yaml, which is then in force as if it had been saved by hand. Refused when it has changed since it was read (config_conflict), when it has mistakes (config_invalid), and when it changes what is dangerous (not_allowed).',
  access: 'owner',
  isTool: false,
  input: z.object({ text: Text, hash: Hash }),
  output: z.object({
    hash: z.string().describe('Of the file as it is now'),
    changes: z.array(ConfigChange),
    timestamp: Timestamp,
  }),
  readOnly: false,
  destructive: true,
})

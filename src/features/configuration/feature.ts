import type { Secrets } from '../../base/lib/secrets.ts'
import type { Broken } from '../../base/protocol/broken.ts'
import { feature } from '../../kernel/call/feature.ts'
import { ConfigEditor } from '../../platform/config/editor.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { configurationEvents } from './events.ts'
import { type ConfigParts, check, get, save } from './handlers/config.ts'

interface Needs extends Omit<ConfigParts, 'configProblem' | 'needsRestart' | 'configEditor'> {
  readonly env: Environment
  readonly liveConfig: LiveConfig
  readonly secrets: Pick<Secrets, 'hideIn'>
}

/** config.yaml in the dashboard: read, checked and saved as a file, with what was there before kept. */
export const configuration = feature('configuration', { events: configurationEvents }, (parts: Needs) => {
  const { config, env, liveConfig, secrets } = parts
  const gives = {
    configProblem: () => secrets.hideIn(liveConfig.problem()),
    needsRestart: () => liveConfig.needsRestart,
    configEditor: new ConfigEditor({ config, env }),
  }
  const reading = { ...parts, ...gives }
  return {
    gives,
    broken: () => brokenConfiguration(gives.configProblem()),
    handlers: {
      get_config: () => get(reading),
      check_config: (input) => check(input, reading),
      save_config: (input, call) => save(input, call, reading),
    },
  }
})

/** The last saved config.yaml, if Iris does not use it. */
function brokenConfiguration(problem: string | undefined): Broken[] {
  if (problem === undefined) return []
  const remedy = 'Fix the file and save it. Until then, Iris keeps using the previous configuration.'
  return [{ kind: 'configuration', teams: [], what: `config.yaml has a mistake: ${problem}`, remedy }]
}

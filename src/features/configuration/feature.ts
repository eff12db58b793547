import type { Secrets } from '../../base/lib/secrets.ts'
import type { Broken } from '../../base/protocol/broken.ts'
import type { ConfigProblem } from '../../base/protocol/config-problem.ts'
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

/** config.yaml in the dashboard: read, checked and saved as a file; the previous file is kept. */
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
    broken: () => secrets.hideIn(brokenConfiguration(liveConfig)),
    handlers: {
      get_config: () => get(reading),
      check_config: (input) => check(input, reading),
      save_config: (input, call) => save(input, call, reading),
    },
  }
})

/** The last saved config.yaml, if Iris does not use it: its first mistake in a line, and how many more it has. */
function brokenConfiguration({ problem, mistakes }: Pick<LiveConfig, 'problem' | 'mistakes'>): Broken[] {
  const text = problem()
  if (text === undefined) return []
  const [first, ...others] = mistakes()
  const kept = 'Until it is fixed, Iris keeps using the previous configuration.'
  const remedy = first === undefined ? 'Fix the file and save it.' : first.remedy
  return [
    { kind: 'configuration', teams: [], what: whatIsWrong(text, first, others.length), remedy: `${remedy} ${kept}` },
  ]
}

function whatIsWrong(text: string, first: ConfigProblem | undefined, others: number): string {
  if (first === undefined) return `config.yaml has a mistake: ${text.split('\n', 1)[0]}`
  const place = first.line === null ? '' : ` in line ${first.line}`
  const more = others === 0 ? '' : ` It has ${others} more.`
  return `config.yaml has a mistake${place}: ${`${first.key} ${first.problem}`.trim()}.${more}`
}

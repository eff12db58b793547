import { join } from 'node:path'
import type { SetupAnswer } from '../../claude/driver/setup-question.ts'
import { absentPlugin } from '../../claude/driver/setup-report.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import { jsonIn, partOf } from './json-in.ts'

type Wanted = Pick<SetupAnswer, 'plugins' | 'marketplaces'>

/**
 * The plugins that settings enable and that Claude Code certainly does not have: nobody installed them, and no
 * marketplace that Claude Code knows lists them. Claude Code loads a listed plugin without an installation, and fetches
 * a marketplace that settings declare, so such plugins are not reported.
 */
export function absentPlugins({ plugins, marketplaces }: Wanted, configDirectory: string): readonly SetupProblem[] {
  const directory = join(configDirectory, 'plugins')
  const installed = partOf(jsonIn(join(directory, 'installed_plugins.json')), 'plugins')
  const known = jsonIn(join(directory, 'known_marketplaces.json'))
  return plugins
    .filter((plugin) => {
      const at = plugin.lastIndexOf('@')
      const [name, marketplace] = [plugin.slice(0, at), plugin.slice(at + 1)]
      if (at <= 0 || marketplace === 'builtin' || Object.hasOwn(installed, plugin)) return false
      if (Object.hasOwn(known, marketplace)) return !mayList(partOf(known, marketplace), name)
      return !marketplaces.includes(marketplace)
    })
    .map(absentPlugin)
}

/** False only if the marketplace's list can be read and lacks the plugin. */
function mayList({ installLocation: place }: Readonly<Record<string, unknown>>, name: string): boolean {
  if (typeof place !== 'string') return true
  const { plugins } = jsonIn(join(place, '.claude-plugin', 'marketplace.json'))
  return !Array.isArray(plugins) || plugins.some((each) => partOf({ each }, 'each')['name'] === name)
}

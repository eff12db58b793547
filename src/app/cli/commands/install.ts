import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, homePaths, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { makeFirstConfig } from '../first-config.ts'
import { addWords, claudeProgram } from '../install/claude.ts'
import { type Entry, entryText, isEntry, ownEntries } from '../install/entry.ts'
import { nextLines } from '../install/next-lines.ts'
import { offerProjects } from '../install/offer-projects.ts'
import { offerTools } from '../install/offer-tools.ts'
import { typedCommand } from '../install/own-command.ts'
import { type Place, projectPlace, register, userPlace } from '../install/place.ts'
import { enabledPlugin } from '../install/plugin.ts'
import { readRecord, remember } from '../install/record.ts'
import { refuseAgents } from '../install/refuse-agents.ts'
import { restoreFile } from '../install/restore-file.ts'
import type { Given } from '../table/spec.ts'
import { projectDirectory } from '../teams/add-project.ts'

interface InstallOptions {
  /** A path, or true for the current directory. */
  readonly project?: string | true
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly yes?: boolean
  readonly allowTools?: boolean
}

/** Registers Iris with Claude Code, creates a configuration if there is none, and offers projects as teams. */
export async function install({ context, env, options, json }: Given): Promise<void> {
  await refuseAgents(context, 'install Iris')
  const { project, dryRun = false, force = false, yes = false, allowTools: allows = false } = options as InstallOptions
  const entries = ownEntries(env)
  const place = project === undefined ? userPlace(env) : projectPlace(projectDirectory(context, asPath(project)))
  const isThere = Object.values(entries).some((entry) => isEntry(place.found, entry))
  const entry = entries[place.scope]
  if (!isThere) await checkPlace(place, entry, env, force)
  const home = irisHome(env)
  await loadConfig({ home, env })
  const paths = homePaths(home)
  const hadConfig = existsSync(paths.config)
  if (!isThere && !dryRun) {
    const cleared = await withoutEarlier(place, env, paths.installed)
    await remember(paths.installed, await register(cleared, entry, env))
  }
  if (!json) for (const line of linesFor({ place, entry, isThere, dryRun })) context.say(line)
  if (!json) for (const line of pluginLines(env)) context.say(line)
  if (!dryRun) await makeFirstConfig(paths.config)
  if (!hadConfig && !json) context.say(`${dryRun ? 'Would create' : 'Created'} ${paths.config}, the configuration.`)
  const { found, added } = await offerProjects(context, { yes, dryRun, json })
  const asked = { isAsked: allows, isOffered: place.scope === 'user', dryRun, json, record: paths.installed }
  const allowed = await offerTools(context, asked)
  if (json) {
    const { scope, file } = place
    const done = {
      changed: !isThere,
      configMade: !hadConfig,
      projectsFound: found,
      teamsAdded: added,
      toolsAllowed: allowed,
    }
    return context.sayJson({ dryRun, scope, file, entry, ...done })
  }
  if (isThere && hadConfig && added.length === 0 && !allowed) context.say('Nothing was changed.')
  else if (!dryRun) context.say(`"${typedCommand(context)} uninstall" undoes all of this.`)
  if (!dryRun) for (const line of await nextLines(context)) context.say(line)
}

function asPath(project: string | true): string {
  return project === true ? '.' : project
}

async function checkPlace({ found, file, scope }: Place, entry: Entry, env: Environment, force: boolean) {
  if (found !== undefined && !force) {
    const what = `${file} already has a different iris: ${entryText(found)}`
    const remedy = `This Iris would register ${entryText(entry)}. Use "--force" to replace the other one.`
    throw new IrisError('already_installed', what, remedy)
  }
  if (scope === 'user') await claudeProgram(env)
}

/** Removes a registration that this Iris made from another path, so that `iris uninstall` does not restore it. */
async function withoutEarlier(place: Place, env: Environment, record: string): Promise<Place> {
  const earlier = readRecord(record).find(({ file }) => file === place.file)
  if (earlier === undefined || !isEntry(place.found, earlier.entry)) return place
  await restoreFile(earlier, { env, record, dryRun: false })
  return place.scope === 'user' ? userPlace(env) : projectPlace(dirname(place.file))
}

function pluginLines(env: Environment): readonly string[] {
  const plugin = enabledPlugin(env)
  if (plugin === undefined) return []
  return [
    `The plugin ${plugin} has the same tools, so Claude Code has them twice: "claude plugin uninstall ${plugin}".`,
  ]
}

interface Registered {
  readonly place: Place
  readonly entry: Entry
  readonly isThere: boolean
  readonly dryRun: boolean
}

function linesFor({ place: { file, scope, found, hadFile }, entry, isThere, dryRun }: Registered): readonly string[] {
  if (isThere) return [`${file} already has this Iris: ${entryText(found)}`]
  const instead = found === undefined ? '' : ` replacing ${entryText(found)}`
  if (scope === 'user') {
    return [
      `${dryRun ? 'Would run' : 'Ran'}: claude ${addWords(entry).join(' ')}`,
      `${dryRun ? 'That adds' : 'Added'} mcpServers.iris to ${file}${instead}, for all of your projects.`,
      ...(dryRun ? [] : ['An open Claude Code finds Iris after you restart it.']),
    ]
  }
  const verb = hadFile ? ['Would add', 'Added'] : ['Would make', 'Made']
  return [
    `${verb[dryRun ? 0 : 1]} ${hadFile ? 'mcpServers.iris to ' : ''}${file}${instead}: ${entryText(entry)}`,
    ...(dryRun ? [] : ['Claude Code asks once, in that project, whether it may use it.']),
    ...(entry.command.startsWith('/')
      ? ['The path is valid on this machine only. If "iris" is in PATH, the entry can use that name instead.']
      : []),
  ]
}

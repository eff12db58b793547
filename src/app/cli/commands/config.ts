import { spawn } from 'node:child_process'
import { type Document, isMap, parse } from 'yaml'
import { IrisError } from '../../../base/protocol/error.ts'
import { changeConfig, setValue } from '../../../platform/config/change-text.ts'
import type { Config } from '../../../platform/config/config.ts'
import { readConfigText } from '../../../platform/config/config-text.ts'
import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { masked } from '../../../platform/config/masked-text.ts'
import { ConfigError, ProblemList } from '../../../platform/config/problem.ts'
import { isUnknownKey } from '../../../platform/config/shape.ts'
import { unknownTeam } from '../../../platform/config/unknown-team.ts'
import type { CommandContext, CommandInput, CommandOutput } from '../context.ts'
import { makeFirstConfig } from '../first-config.ts'
import { refuseHidden, refuseInsideAgent } from '../inside-agent.ts'
import { choose } from '../prompt.ts'
import type { Given } from '../table/spec.ts'

/** Prints config.yaml as it is written, with a placeholder for each secret. */
export async function showConfig({ context, env, json }: Given): Promise<void> {
  refuseHidden(env, irisHome(env))
  const { config: file } = homePaths(irisHome(env))
  const problems = new ProblemList(file)
  const text = await readConfigText(file, undefined, problems)
  if (text === undefined) throw new ConfigError(problems.inFileOrder())
  const shown = masked(text ?? '')
  if (shown === undefined) {
    const what = `${file} is not valid YAML, so Iris cannot hide its secrets.`
    throw new IrisError('config_invalid', what, 'Run "iris config validate" to see what is wrong.')
  }
  if (json) return context.sayJson({ file, text: shown })
  if (shown === '') context.say(`There is no ${file} yet: "iris add-team <path>" makes it.`)
  else context.sayAsWritten(shown.trimEnd())
}

/** Checks config.yaml. Throws `config_invalid` with every mistake. */
export async function validateConfig({ context, env, json }: Given): Promise<void> {
  refuseHidden(env, irisHome(env))
  sayValid(context, await loadConfig({ home: irisHome(env), env }), json)
}

function sayValid(context: CommandContext, config: Config, json: boolean): void {
  if (json) context.sayJson({ valid: true, file: config.file, teams: [...config.teams.keys()] })
  else context.say(`${config.file} is in order: ${teamsText(config)}.`)
}

/** Opens config.yaml in the person's own editor, until it has no mistake or they leave it. */
export async function editConfig({ context, env, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const home = irisHome(env)
  const { config: file } = homePaths(home)
  await makeFirstConfig(file)
  for (;;) {
    await runEditor(context, file, json ? context.stderr : context.stdout)
    try {
      return sayValid(context, await loadConfig({ home, env }), json)
    } catch (error) {
      if (!(error instanceof IrisError) || !context.isInteractive) throw error
      context.note(`error: ${error.message}\n${error.remedy}`)
      const again = [
        { value: 'again', label: 'Edit it again' },
        { value: 'leave', label: 'Leave it so: what was in force stays in force' },
      ] as const
      if ((await choose(context, 'It is not in force.', again)) !== 'again') throw error
    }
  }
}

/** Sets one key, such as `settings.maxProcesses`, to a YAML value; without one removes it, so the default applies. */
export async function setConfig({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const { key, value } = options as { key: string; value?: string }
  const home = irisHome(env)
  const config = await loadConfig({ home, env }).catch(() => undefined)
  const path = pathOf(key, config)
  let wasSet = true
  await changeConfig({ home, env }, (document) => {
    if (value !== undefined) return setValue(document, path, parse(value))
    wasSet = document.hasIn(path)
    // What Iris does not know can be removed where somebody wrote it.
    if (wasSet) removeKey(document, path)
    else refuseUnknown(key, path, config)
  })
  if (json) context.sayJson({ key, value: value === undefined ? null : parse(value) })
  else if (value !== undefined) context.say(`${key} is ${value}.`)
  else context.say(wasSet ? `${key} has its default again.` : `config.yaml does not set ${key}. Nothing was changed.`)
}

/** Also removes what then is empty above it; a team, a role and a channel may be so. */
function removeKey(document: Document, path: readonly string[]): void {
  document.deleteIn(path)
  const highest = ['teams', 'roles', 'channels'].includes(path[0]!) ? 3 : 1
  for (let length = path.length - 1; length >= highest; length -= 1) {
    const above = document.getIn(path.slice(0, length))
    if (!isMap(above) || above.items.length > 0) return
    document.deleteIn(path.slice(0, length))
  }
}

/** Throws `not_found` for a key that Iris does not know, `unknown_team` for one of a team that is not there. */
function refuseUnknown(key: string, path: readonly string[], config: Config | undefined): void {
  const [section, name] = path
  if (isUnknownKey(path))
    throw new IrisError(
      'not_found',
      `There is no key "${key}" in config.yaml.`,
      'docs/guide/configure.md lists all keys.',
    )
  if (section === 'teams' && name !== undefined && config && !config.teams.has(name)) throw unknownTeam(name, config)
}

/** The path of a key. Names of teams may contain dots. */
function pathOf(key: string, config: Config | undefined): readonly string[] {
  const [section = '', ...rest] = key.split('.')
  const within = rest.join('.')
  const fitting = [...(config?.teams.keys() ?? [])].filter((name) => within === name || within.startsWith(`${name}.`))
  // Where the name of one team begins that of another, the longer name is meant.
  const team = fitting.toSorted((a, b) => b.length - a.length)[0]
  if (section !== 'teams' || team === undefined) return [section, ...rest]
  const inner = within.slice(team.length + 1)
  return [section, team, ...(inner === '' ? [] : inner.split('.'))]
}

function teamsText({ teams }: Config): string {
  return teams.size === 0 ? 'no teams yet' : `teams ${[...teams.keys()].join(', ')}`
}

/** Runs the words of EDITOR with the file, without a shell; draws on the stream that the answer does not use. */
function runEditor({ env, stdin, stderr }: CommandContext, file: string, screen: CommandOutput): Promise<void> {
  const [program = 'vi', ...args] = (env['VISUAL'] || env['EDITOR'] || 'vi').split(/\s+/)
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, file], { env, stdio: [stdin, screen, stderr].map(ownStream) })
    child.on('error', () => {
      reject(new IrisError('invalid_input', `The editor ${program} could not be started.`, 'Set EDITOR to yours.'))
    })
    child.on('exit', () => resolve())
  })
}

/** A child can share only a stream that has a descriptor. */
function ownStream({ fd }: CommandInput | CommandOutput): number | 'ignore' {
  return fd ?? 'ignore'
}

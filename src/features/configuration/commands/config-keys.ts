import { type Document, isCollection, isMap, parseDocument, stringify } from 'yaml'
import type { CommandContext } from '../../../app/cli/context.ts'
import { counted } from '../../../app/cli/counted.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { refuseHidden, refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import { choose } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { sha256 } from '../../../base/lib/sha256.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { changeConfig, keepNoTeams, removeValue, setValue } from '../../../platform/config/change-text.ts'
import type { Config } from '../../../platform/config/config.ts'
import { parseText, readConfigText } from '../../../platform/config/config-text.ts'
import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { configOf, loadConfig } from '../../../platform/config/load.ts'
import { masked } from '../../../platform/config/masked-text.ts'
import { parsedConfig, withoutAliases } from '../../../platform/config/parsed-config.ts'
import { ConfigError, ProblemList } from '../../../platform/config/problem.ts'
import { replaceConfig, textBefore } from '../../../platform/config/replace-config.ts'
import { isUnknownKey } from '../../../platform/config/shape.ts'
import { unknownTeam } from '../../../platform/config/unknown-team.ts'
import { sayDoubts } from './config.ts'
import { writtenValue } from './config-value.ts'

/** Prints what config.yaml says at a key, as YAML, with a placeholder for each secret. */
export async function getConfig({ context, env, options, json }: Given): Promise<void> {
  const home = irisHome(env)
  refuseHidden(env, home)
  const key = String(options['key'])
  await refuseUnreadable(home)
  const { document, path, config } = await opened(home, key, context)
  const isSet = document.hasIn(path)
  if (!isSet) refuseUnknown(key, path, config)
  const shown: unknown = parseDocument((await masked(String(document))) ?? '').toJS()
  const value = path.reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], shown)
  if (json) return context.sayJson({ key, value: value ?? null })
  if (isSet) context.sayAsWritten(stringify(value).trimEnd())
  else context.say(`config.yaml doesn't set ${key}. ${defaultText(path, config)}`)
}

/** The default of a key that config.yaml does not set; a time is in milliseconds. */
function defaultText(path: readonly string[], config: Config | undefined): string {
  const value = path.reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], config)
  const isOne = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isOne ? `Its default is ${value}.` : 'Its default applies.'
}

/** Sets one key, such as `settings.maxProcesses`, to a YAML value. */
export async function setConfig({ context, env, options, json }: Given): Promise<number | void> {
  refuseInsideAgent(env, 'change its configuration')
  const { key, value, yes = false } = options as { key: string; value?: string; yes?: boolean }
  if (value === undefined) {
    const what = `"iris config set ${key}" needs a value.`
    throw new IrisError('invalid_input', what, `To restore the default: "iris config unset ${key}".`)
  }
  const home = irisHome(env)
  const { document, path } = await opened(home, key, context)
  const written = writtenValue(value, key, path)
  const lost = lostBy(document, path, written)
  if (!(await isAgreed(context, `Replace ${key}`, lost, yes))) return interrupted
  await changeConfig({ home, env }, (changed) => setValue(changed, path, written))
  if (json) context.sayJson({ key, value: written })
  else context.say(`${key} is ${value}.`)
  sayDoubts(context, await loadConfig({ home, env }))
}

/**
 * Removes one key, so that its default applies; a section, a team, a role or a channel only after the person has
 * confirmed.
 */
export async function unsetConfig({ context, env, options, json }: Given): Promise<number | void> {
  refuseInsideAgent(env, 'change its configuration')
  const { key, yes = false } = options as { key: string; yes?: boolean }
  const home = irisHome(env)
  const { document, path, config } = await opened(home, key, context)
  const wasSet = document.hasIn(path)
  // Unknown keys can be removed too.
  if (!wasSet) refuseUnknown(key, path, config)
  if (!(await isAgreed(context, `Remove ${key}`, lostBy(document, path, undefined), yes))) return interrupted
  if (wasSet) await changeConfig({ home, env }, (changed) => removeKey(changed, path))
  if (json) context.sayJson({ key, value: null })
  else if (!wasSet) context.say(`config.yaml does not set ${key}. Nothing was changed.`)
  else context.say(hasNoDefault(path) ? `${key} is removed.` : `${key} is back to its default.`)
}

/** Undoes the last change that Iris made in config.yaml. A second call undoes the undo. */
export async function undoConfig({ context, env, options, json }: Given): Promise<number | void> {
  refuseInsideAgent(env, 'change its configuration')
  const home = irisHome(env)
  const { config: file } = homePaths(home)
  const problems = new ProblemList(file)
  const before = textBefore(file)
  if (before === undefined)
    throw new IrisError('not_found', `Iris has not changed ${file} yet.`, 'There is nothing to undo.')
  const { text, hashAfter } = before
  const now = await readConfigText(file, process.getuid?.(), problems)
  const isValid = (await configOf(text, { home, env }, problems)) !== undefined
  if (!isValid || now === undefined) throw new ConfigError(problems.inFileOrder())
  const isEdited = hashAfter !== undefined && now !== null && now !== text && sha256(now) !== hashAfter
  const { yes = false } = options as { yes?: boolean }
  const question = `${file} was edited after Iris's last change. Undo these edits too?`
  if (isEdited && !yes && !(await agrees(context, question))) return interrupted
  if (!(await replaceConfig(file, now, text))) {
    throw new IrisError('config_conflict', `${file} has changed since it was read.`, 'Try again.')
  }
  if (json) context.sayJson({ undone: true, file })
  else context.say(`${file} is as it was before Iris's last change. Run the same command again to redo the change.`)
}

/** Throws `config_invalid` if nobody can know what config.yaml sets, because it is unreadable or not YAML. */
async function refuseUnreadable(home: string): Promise<void> {
  const { config: file } = homePaths(home)
  const problems = new ProblemList(file)
  const text = await readConfigText(file, undefined, problems)
  if (typeof text === 'string') await parseText(text, problems)
  if (problems.inFileOrder().length > 0) throw new ConfigError(problems.inFileOrder())
}

interface Opened {
  /** config.yaml; empty if the file is missing or not YAML. A change is then refused. */
  readonly document: Document
  readonly path: readonly string[]
  /** Undefined if config.yaml has a mistake. */
  readonly config: Config | undefined
}

async function opened(home: string, key: string, { env }: CommandContext): Promise<Opened> {
  const { config: file } = homePaths(home)
  const text = await readConfigText(file, undefined, new ProblemList(file))
  const document = withoutAliases(text ?? '') ?? parsedConfig(text ?? '')
  // The change itself reports a mistake elsewhere.
  const config = await loadConfig({ home, env }).catch(() => undefined)
  const written = document.get('teams')
  const names = isMap(written) ? written.items.map((item) => String(item.key)) : []
  return { document, path: pathOf(key, names), config }
}

/** The keys whose values a change at `path` removes, if there are more than the one at `path`. */
function lostBy(document: Document, path: readonly string[], value: unknown): readonly string[] {
  const before = document.getIn(path)
  if (!isMap(before)) return []
  const left = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return before.items.map((item) => String(item.key)).filter((name) => !left.includes(name))
}

/**
 * Whether the person agrees to lose these keys; asked only if there are any. Throws `invalid_input` where nobody can
 * answer.
 */
async function isAgreed(
  context: CommandContext,
  what: string,
  lost: readonly string[],
  yes: boolean,
): Promise<boolean> {
  if (lost.length === 0 || yes) return true
  const named = lost.length > 5 ? [...lost.slice(0, 5), `${lost.length - 5} more`] : lost
  return agrees(context, `${what}, with ${counted(lost.length, 'key')} in it (${named.join(', ')})?`)
}

/** Throws `invalid_input` where nobody can answer. */
async function agrees(context: CommandContext, question: string): Promise<boolean> {
  if (!context.isInteractive) {
    throw new IrisError(
      'invalid_input',
      `${question.slice(0, -1)}: there is no terminal in which to ask you.`,
      'Add --yes if you mean it.',
    )
  }
  const answers = [
    { value: 'no', label: 'No: leave it as it is' },
    { value: 'yes', label: 'Yes: "iris config undo" reverts it' },
  ] as const
  if ((await choose(context, question, answers)) === 'yes') return true
  context.note('Nothing was changed.')
  return false
}

/**
 * Also removes parents that are then empty, except teams, roles, channels, callbacks and triggers, which may be empty.
 */
function removeKey(document: Document, path: readonly string[]): void {
  const [section = ''] = path
  removeValue(document, path)
  if (section === 'teams' && path.length <= 2) return keepNoTeams(document)
  const highest = ['teams', 'roles', 'channels', 'callbacks', 'triggers'].includes(section) ? 3 : 1
  for (let length = path.length - 1; length >= highest; length -= 1) {
    const above = document.getIn(path.slice(0, length))
    if (!isCollection(above) || above.items.length > 0) return
    removeValue(document, path.slice(0, length))
  }
}

/**
 * Whether the path is a whole section of teams, roles, channels, callbacks or triggers, or one entry in such a section.
 */
function hasNoDefault([section = '', ...within]: readonly string[]): boolean {
  return ['teams', 'roles', 'channels', 'callbacks', 'triggers'].includes(section) && within.length <= 1
}

/** Throws `not_found` for a key that Iris does not know, `unknown_team` for a key of a missing team. */
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
function pathOf(key: string, teams: readonly string[]): readonly string[] {
  const [section = '', ...rest] = key.split('.')
  const within = rest.join('.')
  const fitting = teams.filter((name) => within === name || within.startsWith(`${name}.`))
  // If one team's name is a prefix of another's, the longer name applies.
  const team = fitting.toSorted((a, b) => b.length - a.length)[0]
  if (section !== 'teams' || team === undefined) return [section, ...rest]
  const inner = within.slice(team.length + 1)
  return [section, team, ...(inner === '' ? [] : inner.split('.'))]
}

import { type Document, isMap, isNode, isScalar } from 'yaml'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Config } from './config.ts'
import { readConfigText } from './config-text.ts'
import { editInPlace } from './edit-in-place.ts'
import { type Environment, homePaths } from './home.ts'
import { configOf } from './load.ts'
import { insistOnNewTrouble } from './new-trouble.ts'
import { withoutAliases } from './parsed-config.ts'
import { ConfigError, ProblemList, shown } from './problem.ts'
import { replaceConfig } from './replace-config.ts'

interface ChangeOptions {
  /** IRIS_HOME, absolute; created if it is missing. */
  readonly home: string
  readonly env: Environment
}

/** How many times a change is retried when someone else has written the file in the meantime. */
const maxTries = 20

/**
 * Changes config.yaml as its owner would with an editor: everything else is kept as written, and a text with errors is
 * not saved. `change` gets the document without aliases, so that a change in one place does not affect another. A
 * running daemon notices the change. Concurrent changes, by one or several processes, are all saved: if another change
 * was saved first, `change` is called again with the new text. Throws `config_invalid` with every error, and
 * `config_conflict` if the file keeps changing.
 */
export async function changeConfig(options: ChangeOptions, change: (document: Document) => void): Promise<Config> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const config = await changedOnce(options, change)
    if (config !== undefined) return config
  }
  const file = homePaths(options.home).config
  throw new IrisError('config_conflict', `${shown(file)} has changed since it was read.`, 'Try again.')
}

/** Undefined if the file was changed in the meantime; in that case, nothing was written. */
async function changedOnce(
  { home, env }: ChangeOptions,
  change: (document: Document) => void,
): Promise<Config | undefined> {
  const file = homePaths(home).config
  const uid = process.getuid?.()
  const problems = new ProblemList(file)
  makeDirectory(home)
  const before = await readConfigText(file, uid, problems)
  const document = withoutAliases(before ?? '')
  if (before === undefined || !document || document.errors.length > 0 || problems.inFileOrder().length > 0) {
    await configOf(before ?? '', { home, env, uid }, problems)
    throw new ConfigError(problems.inFileOrder())
  }
  // An empty section such as `teams:` counts as missing.
  for (const key of ['teams', 'settings']) if (document.has(key) && !isMap(document.get(key))) document.delete(key)
  change(document)
  const after = editInPlace(before ?? '', document) ?? document.toString({ lineWidth: 0 })
  const config = await configOf(after, { home, env, uid }, problems)
  const former = await configOf(before, { home, env, uid }, new ProblemList(file))
  insistOnNewTrouble(former, config, problems)
  if (config === undefined || problems.inFileOrder().length > 0) throw new ConfigError(problems.inFileOrder())
  return (await replaceConfig(file, before, after)) ? config : undefined
}

/** Removes a key but keeps the comment before it, which may be about more than the key. */
export function removeValue(document: Document, path: readonly string[]): void {
  const above = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isMap(above)) return
  const index = above.items.findIndex(({ key }) => String(isScalar(key) ? key.value : key) === path.at(-1))
  const [removed] = index === -1 ? [] : above.items.splice(index, 1)
  const comment = isNode(removed?.key) ? removed.key.commentBefore : undefined
  if (comment === null || comment === undefined) return
  const next = above.items[index]?.key
  if (isNode(next)) next.commentBefore = joined(comment, next.commentBefore)
  else above.comment = joined(above.comment, comment)
}

/** An explicit `teams: {}` shows that removing all teams is intended; a daemon treats an empty file as an error. */
export function keepNoTeams(document: Document): void {
  const teams = document.get('teams')
  if (!isMap(teams) || teams.items.length === 0) document.set('teams', document.createNode({}))
}

function joined(...comments: readonly (string | null | undefined)[]): string {
  return comments.filter((comment) => comment !== null && comment !== undefined).join('\n')
}

/** Replaces a value and keeps its comment. */
export function setValue(document: Document, path: readonly string[], value: unknown): void {
  const [before, after] = [document.getIn(path, true), document.createNode(value)]
  if (isScalar(before) && isScalar(after)) Object.assign(before, { value: after.value, source: undefined })
  else document.setIn(path, after)
}

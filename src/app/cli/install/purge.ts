import { existsSync, lstatSync, readdirSync, readlinkSync, rmdirSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { homePaths } from '../../../platform/config/home.ts'

/** What else a person may keep in Iris's home: templates for agents. */
const owners = ['templates']

/** Throws `invalid_input` for a directory that is no home of Iris, or that contains anything that is not Iris's. */
export function checkHome(home: string): void {
  const facts = lstatSync(home, { throwIfNoEntry: false })
  if (facts === undefined) return
  if (facts.isSymbolicLink()) {
    throw refusal(
      `${home} is a link to ${readlinkSync(home)}.`,
      `Set IRIS_HOME to the link's target, or remove the link yourself.`,
    )
  }
  if (!facts.isDirectory()) throw refusal(`${home} is not a directory.`, 'Set IRIS_HOME to the home of Iris.')
  const paths = homePaths(home)
  const known = new Set([...Object.values(paths).map((path) => relative(home, path).split(sep)[0]), ...owners])
  const names = readdirSync(home)
  const strange = names.filter((name) => !known.has(name))
  if (strange.length > 0) {
    const listed = strange.slice(0, 5).join(', ') + (strange.length > 5 ? ` and ${strange.length - 5} more` : '')
    throw refusal(`${home} contains files that are not Iris's: ${listed}.`, 'Move them elsewhere, then try again.')
  }
  const marks = [paths.config, paths.token, paths.lock]
  if (names.length > 0 && !marks.some((path) => existsSync(path))) {
    throw refusal(
      `${home} does not look like a home of Iris.`,
      'Set IRIS_HOME to the right directory, or remove this one yourself.',
    )
  }
}

/** Removes the home, following no link. Returns what was done and what stays, in sentences. Throws as `checkHome`. */
export function purge(home: string): string[] {
  checkHome(home)
  const names = readdirSync(home)
  const links = names.filter((name) => lstatSync(join(home, name)).isSymbolicLink())
  const left = links.map((name) => `${readlinkSync(join(home, name))}, where ${join(home, name)} led, stays.`)
  for (const name of names) rmSync(join(home, name), { recursive: true, force: true })
  try {
    rmdirSync(home)
    return [`Removed ${home}, with all conversations.`, ...left]
  } catch (error) {
    // The directory cannot be removed, for example because it is a mount point.
    const { code } = error as NodeJS.ErrnoException
    return [`Removed everything in ${home}, with all conversations. The directory itself stays (${code}).`, ...left]
  }
}

function refusal(what: string, remedy: string): IrisError {
  return new IrisError('invalid_input', `${what} Nothing was removed.`, remedy)
}

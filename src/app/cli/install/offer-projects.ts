import { dirname } from 'node:path'
import { IrisError } from '../../../base/protocol/error.ts'
import { TeamName } from '../../../base/protocol/names.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import type { CommandContext } from '../context.ts'
import { chooseSeveral } from '../prompt.ts'
import { type Added, addProject } from '../teams/add-project.ts'
import { guessName } from '../teams/guess.ts'
import { foundProjects } from './found-projects.ts'
import { typedCommand } from './own-command.ts'

interface Offered {
  /** Real paths, the one used last first. */
  readonly found: readonly string[]
  readonly added: readonly Added[]
}

interface OfferOptions {
  /** Adds all of them without asking. */
  readonly yes: boolean
  readonly dryRun: boolean
  /** Neither asks nor prints anything. */
  readonly json: boolean
}

/** If there are no teams, offers the projects that Claude Code knows as teams. */
export async function offerProjects(context: CommandContext, { yes, dryRun, json }: OfferOptions): Promise<Offered> {
  const { teams } = await loadConfig({ home: irisHome(context.env), env: context.env })
  const found = teams.size > 0 ? [] : foundProjects(context.env)
  const iris = typedCommand(context)
  const noTeams = `There are no teams yet: "${iris} add-team <path>" makes a project one.`
  if (found.length === 0) {
    if (teams.size === 0 && !json) context.say(noTeams)
    return { found, added: [] }
  }
  if (yes && !dryRun) return { found, added: await addAll(context, found, json) }
  if (context.isInteractive && !dryRun && !json) {
    const choices = found.map((path) => ({ value: path, label: path }))
    const chosen = await chooseSeveral(
      context,
      'Which of these projects may be asked? Press Space to choose, Enter to continue.',
      choices,
    )
    if (chosen === undefined || chosen.length === 0) context.say(noTeams)
    return { found, added: await addAll(context, chosen ?? [], json) }
  }
  if (!json) {
    context.say(
      yes ? 'Would make these projects teams:' : 'There are no teams yet. These projects are known to Claude Code:',
    )
    for (const path of found) context.say(yes ? `  ${path}` : `  ${iris} add-team ${quoted(path)}`)
    if (!yes) context.say(`Run the lines you want, or "${iris} install --yes" for all.`)
  }
  return { found, added: [] }
}

async function addAll(context: CommandContext, paths: readonly string[], json: boolean): Promise<readonly Added[]> {
  const all: Added[] = []
  for (const path of paths) {
    try {
      const added = await addProject(context, path, { name: await freeName(context.env, path) })
      all.push(added)
      if (!json) context.say(`${added.name} is a team now: ${path}`)
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      context.note(`${path} was not made a team: ${error.message}`)
    }
  }
  return all
}

/** A name that no team has. Two directories `api` are distinguished by the names of their parents. */
async function freeName(env: Environment, path: string): Promise<string> {
  const { teams } = await loadConfig({ home: irisHome(env), env })
  const isFree = (name: string): boolean => TeamName.safeParse(name).success && !teams.has(name)
  const short = guessName(path)
  const long = `${guessName(dirname(path)) || 'project'}-${short}`.slice(0, 90)
  for (const name of [short, long]) if (isFree(name)) return name
  for (let count = 2; ; count += 1) if (isFree(`${long}-${count}`)) return `${long}-${count}`
}

/** Quotes a path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

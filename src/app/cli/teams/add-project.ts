import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { isMap } from 'yaml'
import { IrisError } from '../../../base/protocol/error.ts'
import { TeamName, whyReserved } from '../../../base/protocol/names.ts'
import { changeConfig } from '../../../platform/config/change-text.ts'
import type { TeamConfig } from '../../../platform/config/config.ts'
import { type Environment, expandTilde, homePaths, irisHome, userHome } from '../../../platform/config/home.ts'
import { isInside } from '../../../platform/config/is-inside.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import type { CommandContext } from '../context.ts'
import { guessDescription, guessName } from './guess.ts'

interface Wishes {
  /** The command that reaches the project's machine, if it is another one. */
  readonly remote?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
}

export interface Added {
  /** False if the project is a team already, under `name`. */
  readonly added: boolean
  readonly name: string
  readonly description?: string | undefined
  /** Path of config.yaml. */
  readonly file: string
}

/** The real path of a project's directory that a person typed. Throws `invalid_input` where there is none. */
export function projectDirectory(context: CommandContext, typed: string): string {
  const path = resolve(context.pathOf(expandTilde(typed, context.env)))
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return realpathSync(path)
  const problem = found === undefined ? 'does not exist' : 'is not a directory'
  throw new IrisError('invalid_input', `${path} ${problem}.`, 'Name the directory of a project.')
}

/** Makes a project a team; `directory` is a real path on its machine. Throws `invalid_input` if the name is taken. */
export async function addProject(context: CommandContext, directory: string, wishes: Wishes = {}): Promise<Added> {
  const home = irisHome(context.env)
  const { config: file } = homePaths(home)
  const { teams } = await loadConfig({ home, env: context.env })
  const there = [...teams.values()].find((team) => team.realPath === directory && team.remote === wishes.remote)
  if (there !== undefined) return { added: false, name: there.name, file }
  if (wishes.remote !== undefined && !isAbsolute(directory) && !directory.startsWith('~')) {
    const remedy = 'Give the path of the project on the other machine, such as /srv/shop.'
    throw new IrisError('invalid_input', `${directory} is not an absolute path.`, remedy)
  }
  const name = wishes.name ?? guessName(directory)
  const problem = whyNoName(name, teams.get(name))
  if (problem !== undefined) {
    throw new IrisError('invalid_input', problem, `Give it another one: iris add-team ${directory} --name <name>`)
  }
  const { remote } = wishes
  const isHere = remote === undefined
  const description = wishes.description ?? (isHere ? guessDescription(directory) : undefined)
  const entry = {
    ...(!isHere && { remote: literal(remote) }),
    path: isHere ? shortened(directory, context.env) : literal(directory),
    ...(description !== undefined && { description: literal(description) }),
  }
  await changeConfig({ home, env: context.env }, (document) => {
    const known = document.get('teams')
    // An entry in `teams: {}` would otherwise be written in flow style.
    if (isMap(known) && known.items.length === 0) known.flow = false
    document.setIn(['teams', name], document.createNode(entry))
  })
  return { added: true, name, description, file }
}

/** Why a project can't have this name; `there` is the team that has it. */
function whyNoName(name: string, there: TeamConfig | undefined): string | undefined {
  if (there !== undefined) return `A team named ${name} already exists (${there.realPath}).`
  const reason = whyReserved(name)
  if (reason !== undefined) return `No team can have the name ${name}: ${reason}.`
  const { error } = TeamName.safeParse(name)
  return error && `"${name}" is not a valid name for a team: ${error.issues[0]!.message}.`
}

/** A path as config.yaml contains it: `~` for the person's home. */
export function shortened(path: string, env: Environment): string {
  const home = userHome(env)
  return literal(isInside(home, path) && path !== home ? `~${path.slice(home.length)}` : path)
}

/** Escapes `${`, which begins a variable in config.yaml. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${')
}

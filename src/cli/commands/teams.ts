import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { changeConfig } from '../../config/change-text.ts'
import { type Environment, expandTilde, homePaths, irisHome, userHome } from '../../config/home.ts'
import { isInside } from '../../config/inside.ts'
import { loadConfig } from '../../config/load.ts'
import { unknownTeam } from '../../config/unknown-team.ts'
import { IrisError } from '../../protocol/error.ts'
import type { Given } from '../command/spec.ts'
import { findDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { say, sayJson } from '../say.ts'
import { guessDescription, guessName } from '../teams/guess.ts'

/** Makes a project one that can be asked; one that is already stays as it is. */
export async function addTeam({ env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const { path = '.', name: wished, description: given } = options as Readonly<Record<string, string | undefined>>
  const directory = directoryAt(resolve(expandTilde(path, env)))
  const home = irisHome(env)
  const { teams } = await loadConfig({ home, env })
  const there = [...teams.values()].find(({ realPath }) => realPath === directory)
  if (there !== undefined) {
    if (json) return sayJson({ added: false, name: there.name, path: directory })
    return say(`${directory} is the team ${there.name} already.`)
  }
  const name = wished ?? guessName(directory)
  if (teams.has(name)) {
    const remedy = `Give it another one: iris add-team ${path} --name <name>`
    throw new IrisError('invalid_input', `There is a team ${name} already (${teams.get(name)!.realPath}).`, remedy)
  }
  const description = given ?? guessDescription(directory)
  const entry = {
    path: shortened(directory, env),
    ...(description !== undefined && { description: literal(description) }),
  }
  await changeConfig({ home, env }, (document) => document.setIn(['teams', name], document.createNode(entry)))
  const file = homePaths(home).config
  if (json) return sayJson({ added: true, name, path: directory, description, file })
  say(`Added ${name} (${directory}) to ${file}.`)
  say(
    description === undefined
      ? 'Say in its "description" what it knows about: others choose by that.'
      : `  ${description}`,
  )
  if (!(await findDaemon(home))) say('Iris is not running: "iris start --background".')
}

/** Its conversations are kept, and go on when it is added again. */
export async function removeTeam({ env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const name = String(options['team'])
  const home = irisHome(env)
  const config = await loadConfig({ home, env })
  const { teams } = config
  if (!teams.has(name)) throw unknownTeam(name, config)
  await changeConfig({ home, env }, (document) => {
    document.deleteIn(['teams', name])
    // A file that has lost its last team says so, else a daemon takes it for a mistake.
    if (teams.size === 1) document.set('teams', document.createNode({}))
  })
  if (json) return sayJson({ removed: true, name })
  say(`Removed ${name}. Its project and its conversations stay as they are.`)
}

function directoryAt(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(path)
  throw new IrisError('invalid_input', `${path} is no directory.`, 'Name the directory of a project.')
}

function shortened(path: string, env: Environment): string {
  const home = userHome(env)
  return literal(isInside(home, path) && path !== home ? `~${path.slice(home.length)}` : path)
}

/** A variable to the configuration otherwise. */
function literal(text: string): string {
  return text.replaceAll('${', () => '$${')
}

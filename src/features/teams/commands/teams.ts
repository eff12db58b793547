import { realpathSync } from 'node:fs'
import { call } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { counted } from '../../../app/cli/counted.ts'
import { findDaemon } from '../../../app/cli/find-daemon.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { addProject, projectDirectory } from '../../../app/cli/teams/add-project.ts'
import { changeConfig, keepNoTeams, removeValue } from '../../../platform/config/change-text.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { isInside } from '../../../platform/config/is-inside.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { unknownTeam } from '../../../platform/config/unknown-team.ts'

/** Makes a project a team; a project that is already a team stays unchanged. */
export async function addTeam({ context, env, options, daemon, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const {
    path = '.',
    remote,
    name: wished,
    description: given,
  } = options as Readonly<Record<string, string | undefined>>
  const isHere = remote === undefined
  // A path on another machine cannot be resolved here.
  const directory = isHere ? projectDirectory(context, path) : path
  const wishes = { name: wished, description: given, remote }
  const { added, name, description, file } = await addProject(context, directory, wishes)
  const installation = { home: irisHome(env), env, daemon: undefined }
  const problems = added && isHere ? await daemon.doctor.problemsOf(installation, name).catch(() => []) : []
  if (json)
    return context.sayJson(
      added ? { added, name, path: directory, description, file, problems } : { added, name, path: directory },
    )
  if (!added) return context.say(`${directory} is already the team ${name}.`)
  context.say(`Added ${name} (${directory}) to ${file}.`)
  context.say(
    description === undefined
      ? `Describe what it knows, so that others know when to ask it: iris config set teams.${name}.description "…"`
      : `  ${description}`,
  )
  for (const { text } of problems) context.note(`Note: ${text}`)
  if (isHere && isInside(realpathSync(irisHome(env)), directory))
    context.note(
      "Note: This directory is inside Iris's home. Agents of this team can see its credentials and conversations.",
    )
}

/** Removes a team. Its conversations are kept, and continue when the team is added again. */
export async function removeTeam({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const name = String(options['team'])
  const home = irisHome(env)
  const config = await loadConfig({ home, env })
  const { teams } = config
  if (!teams.has(name)) throw unknownTeam(name, config)
  const open = await inProgress(context, name)
  await changeConfig({ home, env }, (document) => {
    removeValue(document, ['teams', name])
    keepNoTeams(document)
  })
  if (json) return context.sayJson({ removed: true, name })
  if (open > 0) context.note(`${counted(open, 'message')} in progress will still be answered.`)
  context.say(`Removed ${name}. Its project and its conversations stay as they are.`)
}

/** The number of running and queued messages for the team; 0 without a daemon. */
async function inProgress(context: CommandContext, team: string): Promise<number> {
  if (!(await findDaemon(irisHome(context.env)))) return 0
  const { teams } = await call(context, 'team_status', { team }).catch(() => ({ teams: [] }))
  return teams
    .flatMap(({ sessions }) => sessions)
    .reduce((sum, { processState, queueLength }) => sum + queueLength + (processState === 'processing' ? 1 : 0), 0)
}

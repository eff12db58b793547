import { existsSync } from 'node:fs'
import { call, ownerCall } from '../../../app/cli/call.ts'
import { indentedColumns } from '../../../app/cli/columns.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { notVisible, processTag } from '../../../app/cli/inside-agent.ts'
import { typedCommand } from '../../../app/cli/install/own-command.ts'
import { daemonIfAny } from '../../../app/cli/running-daemon.ts'
import { unadoptedHome } from '../../../app/cli/unadopted-home.ts'
import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { needLines } from './need-lines.ts'
import { daemonLines, poolLine, problemLines, type TeamStatus, workLines } from './status.ts'

type Step = readonly [line: string, does: string]

const help: Step = ['--help', 'all commands']

/** `iris` alone: the state of Iris, and what to do next. */
export async function overview(context: CommandContext): Promise<void> {
  const home = irisHome(context.env)
  const daemon = await daemonIfAny(home)
  if (daemon === undefined) {
    if (context.env[processTag]) return context.say(notVisible(home))
    context.say(`Iris is not running (${home}).`)
    return sayNext(context, [...firstSteps(home), await startStep(home), help])
  }
  const teams = await call(context, 'team_status', {}, { daemon })
  for (const line of [...daemonLines(daemon), poolLine(teams), ...problemLines(teams), ...activeLines(teams)])
    context.say(line)
  const needs = await needLines(context)
  for (const line of needs) context.say(line)
  const questions = await openQuestions(context)
  if (questions > 0)
    context.say(
      `${questions} question${questions === 1 ? '' : 's'} from agents wait${questions === 1 ? 's' : ''} for you.`,
    )
  sayNext(context, [
    ...(questions > 0 ? ([['permissions', 'answer agents that ask for permission']] as const) : []),
    ...nextSteps(teams),
    help,
  ])
}

/** Steps for a person who has not set anything up yet. */
function firstSteps(home: string): readonly Step[] {
  if (existsSync(homePaths(home).config)) return []
  return [
    ['demo', 'see one project ask another, offline and free'],
    ['install', 'let Claude Code use it, and choose projects that can be asked'],
    ['add-team ~/projects/backend', 'add a project that can be asked'],
  ]
}

async function startStep(home: string): Promise<Step> {
  const found = await unadoptedHome(home)
  return found === undefined || found.kind === 'linked'
    ? ['start --background', 'run Iris']
    : ['adopt', `see the unfinished messages in this ${found.kind === 'copy' ? 'copy' : 'restored home'}, and decide`]
}

function nextSteps({ teams }: TeamStatus): readonly Step[] {
  const [team] = teams
  if (team === undefined) return [['add-team ~/projects/backend', 'add a project that can be asked']]
  return [
    [`tell ${team.name} "<message>"`, 'ask a team, and see the answer as it comes'],
    ['status', 'the state of each team'],
  ]
}

function activeLines(teams: TeamStatus): readonly string[] {
  const active = workLines(teams, isNoted)
  return active.length === 0 ? ['Nothing is being worked on.'] : ['', ...active]
}

/** Whether a session is listed although nothing is being answered in it. */
function isNoted({ heldBy, breaker, processState }: TeamStatus['teams'][number]['sessions'][number]): boolean {
  return heldBy !== undefined || breaker !== undefined || processState === 'spawning'
}

/** The number of open questions for the owner; 0 for everybody else. */
async function openQuestions(context: CommandContext): Promise<number> {
  if (context.env[processTag]) return 0
  const found = await ownerCall(context, 'list_permissions', {}).catch(() => undefined)
  return found?.permissions.length ?? 0
}

function sayNext(context: CommandContext, steps: readonly Step[]): void {
  const command = typedCommand(context)
  context.say('\nNext:')
  for (const line of indentedColumns(
    context.width,
    steps.map(([line, does]) => [`$ ${command} ${line}`, does]),
  ))
    context.say(line)
}

import { request } from '../../client/exchange.ts'
import { type Output, toolCall, toolResult } from '../../client/tool-call.ts'
import { type Environment, irisHome } from '../../config/home.ts'
import { systemClock } from '../../lib/clock.ts'
import { IrisError } from '../../protocol/error.ts'
import { type FoundDaemon, findDaemon, knownDaemon } from '../find-daemon.ts'
import { processMark } from '../inside-agent.ts'
import { durationText, say } from '../say.ts'

type TeamStatus = Output<'team_status'>

const answerMs = 10_000

/** Whether the daemon runs, and how its teams stand; with `json`, the same for programs. */
export async function status(env: Environment, { json = false }: { json?: boolean }): Promise<void> {
  const home = irisHome(env)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    refuseSilent(knownDaemon(home))
    return say(json ? JSON.stringify({ running: false, home }) : `Iris is not running (${home}).`)
  }
  const teams = await teamStatus(daemon, env[processMark])
  const { pid, port, version, startedAt } = daemon
  if (json) return say(JSON.stringify({ running: true, home, pid, port, version, startedAt, ...teams }))
  for (const line of [daemonLine(daemon), poolLine(teams), ...problemLines(teams), '', ...teamLines(teams)]) say(line)
}

/** Nobody listens, yet the process lives: neither "running" nor "not running" would be true. */
function refuseSilent(daemon: FoundDaemon | undefined): void {
  if (daemon === undefined) return
  throw new IrisError(
    'daemon_unreachable',
    `The daemon (pid ${daemon.pid}, port ${daemon.port}) does not answer.`,
    `If it stays like this, end it with "kill ${daemon.pid}": what was accepted is kept.`,
  )
}

async function teamStatus({ mcp, owner }: FoundDaemon, mark: string | undefined): Promise<TeamStatus> {
  const answer = await request(
    { ...mcp, token: owner ?? mcp.token, mark },
    toolCall(1, 'team_status', {}),
    AbortSignal.timeout(answerMs),
  )
  return toolResult('team_status', answer)
}

export function daemonLine({ version, pid, port, startedAt }: FoundDaemon): string {
  const age = durationText(systemClock.now() - startedAt)
  return `Iris ${version} has been running for ${age} (pid ${pid}, http://127.0.0.1:${port}/mcp).`
}

function poolLine({ pool }: TeamStatus): string {
  return `${pool.activeProcesses} of at most ${pool.maxProcesses} Claude Code processes are awake.`
}

function problemLines({ configProblem }: TeamStatus): string[] {
  return configProblem === undefined ? [] : ['', configProblem]
}

function teamLines({ teams }: TeamStatus): string[] {
  if (teams.length === 0) return ['There are no teams yet: add them to config.yaml.']
  const width = Math.max(...teams.map(({ name }) => name.length))
  return teams.flatMap(({ name, status, sessions, config }) => [
    `${name.padEnd(width)}  ${status.padEnd(6)}  ${config.path}`,
    ...sessions.map((session) => `${''.padEnd(width)}  ${sessionText(session)}`),
  ])
}

function sessionText(session: TeamStatus['teams'][number]['sessions'][number]): string {
  const { from, thread, processState, pid, messageCount, queueLength } = session
  const who = thread === 'main' ? `from ${from}` : `from ${from} (${thread})`
  const messages = `${messageCount} message${messageCount === 1 ? '' : 's'}`
  const waiting = queueLength === 0 ? '' : `, ${queueLength} waiting`
  return `${who}: ${processState}${pid === undefined ? '' : ` (pid ${pid})`}, ${messages}${waiting}`
}

import type { Output } from '../../../adapters/client/tool-call.ts'
import { call } from '../../../app/cli/call.ts'
import { counted } from '../../../app/cli/counted.ts'
import type { FoundDaemon } from '../../../app/cli/find-daemon.ts'
import { notVisible, processTag } from '../../../app/cli/inside-agent.ts'
import { durationText } from '../../../app/cli/moment.ts'
import { daemonIfAny, otherVersion } from '../../../app/cli/running-daemon.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { unadoptedHome } from '../../../app/cli/unadopted-home.ts'
import { widthOf } from '../../../app/cli/wrapped.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { fileSize } from '../../../base/lib/file-size.ts'
import { askerName } from '../../../base/protocol/pair.ts'
import { standingOf } from '../../../base/protocol/standing.ts'
import { waitsForText } from '../../../base/protocol/waits-for-text.ts'
import { limitText } from '../../../features/teams/commands/team-lines.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { adopting, unadoptedText } from '../../../platform/config/home-record.ts'
import { needWords } from './need-lines.ts'

export type TeamStatus = Output<'team_status'>

/** Prints whether the daemon runs, and the state of its teams; with `json`, for programs. */
export async function status({ context, env, json }: Given): Promise<void> {
  const home = irisHome(env)
  const daemon = await daemonIfAny(home)
  if (daemon === undefined) {
    const isHidden = Boolean(env[processTag])
    if (json)
      return context.sayJson(
        isHidden
          ? { running: null, visible: false, home }
          : { running: false, home, unadopted: await unadoptedHome(home) },
      )
    return isHidden ? context.say(notVisible(home)) : context.say(await notRunning(home))
  }
  const [teams, listed] = [
    await call(context, 'team_status', {}, { daemon }),
    await call(context, 'list_teams', {}, { daemon }),
  ]
  // Agents may not ask for Iris's health.
  const health = await call(context, 'get_health', {}, { daemon }).catch(() => undefined)
  const limitedElsewhere = limitsElsewhere(teams, listed)
  const space = health && spaceOf(health)
  const { pid, port, version, startedAt } = daemon
  if (json)
    return context.sayJson({ running: true, home, pid, port, version, startedAt, ...teams, space, limitedElsewhere })
  for (const line of [
    ...daemonLines(daemon),
    poolLine(teams),
    ...(space === undefined ? [] : [spaceLine(space)]),
    ...problemLines(teams),
    ...(health === undefined ? [] : needWords(health.needs)),
    '',
    ...teamLines(teams, context.width),
  ])
    context.say(line)
  if (limitedElsewhere.length > 0) context.say('')
  for (const { name, ...limit } of limitedElsewhere) context.say(`${name}  account: ${limitText(limit)}`)
}

async function notRunning(home: string): Promise<string> {
  const found = await unadoptedHome(home)
  const next =
    found === undefined
      ? '"iris start --background" starts it.'
      : `${unadoptedText(home, found)}\n${adopting(home, found)}`
  return `Iris is not running (${home}). ${next}`
}

interface Space {
  readonly storeBytes: number
  readonly logBytes: number
  readonly indexBytes: number
  readonly attachmentBytes: number
}

function spaceOf({ store: { fileBytes, walBytes, indexBytes, attachmentBytes } }: Output<'get_health'>): Space {
  return { storeBytes: fileBytes, logBytes: walBytes, indexBytes, attachmentBytes }
}

function spaceLine({ storeBytes, logBytes, indexBytes, attachmentBytes }: Space): string {
  const files = attachmentBytes === 0 ? '' : ` (${fileSize(attachmentBytes)} of it attached files)`
  return `The store takes ${fileSize(storeBytes)}${files}, its write-ahead log ${fileSize(logBytes)}, the search index ${fileSize(indexBytes)}.`
}

/** Teams of other hosts whose messages wait for a limit. */
function limitsElsewhere({ teams: own }: TeamStatus, { teams }: Output<'list_teams'>) {
  return teams.flatMap(({ name, config: { host, limitedUntil, limitedBy } }) =>
    limitedUntil === undefined || own.some((team) => team.name === name)
      ? []
      : [{ name, host, limitedUntil, limitedBy }],
  )
}

/** The line about the daemon, with a note if the daemon's version differs from this command's. */
export function daemonLines(daemon: FoundDaemon): readonly string[] {
  const other = otherVersion(daemon)
  return [daemonLine(daemon), ...(other === undefined ? [] : [other])]
}

export function daemonLine({ version, pid, port, startedAt }: FoundDaemon): string {
  const age = durationText(systemClock.now() - startedAt)
  return `Iris ${version} has been running for ${age} (pid ${pid}, http://127.0.0.1:${port}/mcp).`
}

export function poolLine({ pool }: TeamStatus): string {
  return `${pool.activeProcesses} of at most ${pool.maxProcesses} Claude Code processes are awake.`
}

export function problemLines({ configProblem, claudeProblem }: TeamStatus): string[] {
  return [configProblem, claudeProblem].flatMap((problem) => (problem === undefined ? [] : ['', problem]))
}

export function teamLines({ teams }: Pick<TeamStatus, 'teams'>, width: number): string[] {
  if (teams.length === 0) return ['There are no teams yet: add one with "iris add-team <path>".']
  const shown = mostNoted(teams)
  const widest = (of: (team: Team) => string): number => Math.max(...shown.map((team) => widthOf(of(team))))
  const names = widest(({ name }) => name)
  const isNarrow = names + '  asleep  '.length + widest(({ config }) => placeText(config)) > width
  const rest = teams.length - shown.length
  const lines = shown.flatMap(({ name, status, sessions, moreSessions = 0, config, link, unusable, setup }) => [
    ...(isNarrow
      ? [`${name}  ${status}`, `  ${placeText(config)}`]
      : [`${name.padEnd(names)}  ${status.padEnd(6)}  ${placeText(config)}`]),
    ...[limitText(config) ?? []].flat().map((text) => `${''.padEnd(isNarrow ? 0 : names)}  account: ${text}`),
    ...(link === undefined ? [] : [`${''.padEnd(isNarrow ? 0 : names)}  ${linkText(link)}`]),
    ...(unusable === undefined
      ? []
      : [`${unusable.what} ${unusable.remedy} Iris looks again with the next message.`]
    ).map((text) => `${''.padEnd(isNarrow ? 0 : names)}  problem: ${text}`),
    ...(setup?.problems ?? []).map(({ text }) => `${''.padEnd(isNarrow ? 0 : names)}  problem: ${text}`),
    ...sessionLines(name, sessions, moreSessions).map((line) => `${''.padEnd(isNarrow ? 0 : names)}  ${line}`),
  ])
  const are = rest === 1 ? 'is' : 'are'
  return rest === 0
    ? lines
    : [...lines, '', `${counted(rest, 'more team')} ${are} asleep or without news. "iris teams list" shows them all.`]
}

/** How many teams, and how many sessions of each, a person can read at once. */
const [teamsShown, sessionsShown] = [40, 5]

type Team = TeamStatus['teams'][number]

/**
 * As many teams as a person can read, in the order of their names. Prefers teams that there is something to say about.
 */
function mostNoted(teams: readonly Team[]): readonly Team[] {
  if (teams.length <= teamsShown) return teams
  const isNoted = ({ status, sessions, config, setup, link }: Team): boolean =>
    status === 'awake' ||
    sessions.some(isAtWork) ||
    config.limitedUntil !== undefined ||
    setup !== undefined ||
    link?.state === 'unreachable'
  const noted = new Set([...teams.filter(isNoted), ...teams.filter((team) => !isNoted(team))].slice(0, teamsShown))
  return teams.filter((team) => noted.has(team))
}

function isAtWork({
  processState,
  queueLength,
  waitsForPermission,
  heldBy,
  breaker,
  unreachableSince,
}: Session): boolean {
  const isBusy = !['stopped', 'idle'].includes(processState) || queueLength > 0
  return isBusy || [waitsForPermission, heldBy, breaker, unreachableSince].some((each) => each !== undefined)
}

/** Lines for the conversations: first those at work, then the most recently used ones, then how many more there are. */
function sessionLines(team: string, sessions: readonly Session[], more: number): string[] {
  const inOrder = [...sessions.filter(isAtWork), ...sessions.filter((session) => !isAtWork(session))]
  const lines = inOrder.slice(0, sessionsShown).map(sessionText)
  const rest = inOrder.length - lines.length + more
  return rest === 0
    ? lines
    : [...lines, `${counted(rest, 'more conversation')}. "iris sessions --to ${team}" lists them.`]
}

/** `host:path`, as in scp. */
function placeText({ host, path }: TeamStatus['teams'][number]['config']): string {
  return host === undefined ? path : `${host}:${path}`
}

function linkText({ state, since, why, tunnel }: NonNullable<TeamStatus['teams'][number]['link']>): string {
  if (state === 'unknown') return 'machine: not asked yet'
  const age = since === undefined ? '' : ` for ${durationText(systemClock.now() - since)}`
  const wayBack = tunnel === undefined ? '' : tunnel.state === 'open' ? ', tunnel open' : `, no tunnel: ${tunnel.why}`
  return `machine: ${state}${age}${why === undefined ? '' : `: ${why}`}${wayBack}`
}

type Session = TeamStatus['teams'][number]['sessions'][number]

/** The conversations with running or queued messages, and those for which `besides` is true. */
export function workLines({ teams }: TeamStatus, besides: (session: Session) => boolean = () => false) {
  return teams.flatMap(({ name, sessions }) =>
    sessions
      .filter((each) => each.processState === 'processing' || each.queueLength > 0 || besides(each))
      .map((session) => `  ${name} ${sessionText(session)}`),
  )
}

function sessionText(session: Session): string {
  const { from, thread, pid, messageCount, queueLength, waitsForPermission, heldBy, breaker } = session
  const { unreachableSince, waitsFor } = session
  const who = thread === 'main' ? `from ${askerName(from)}` : `from ${askerName(from)} (${thread})`
  const messages = messageCount === 0 ? 'nothing answered yet' : `${counted(messageCount, 'message')} answered`
  const queued = queueLength === 0 ? '' : `, ${queueLength} queued`
  const permission = waitsForPermission === undefined ? '' : `, wants to use ${waitsForPermission}`
  const isSaid = waitsFor === undefined || ['question', 'machine', 'failures'].includes(waitsFor.kind)
  const waits = isSaid ? '' : `, waits: ${waitsForText(waitsFor)}`
  const held = heldBy === undefined || waits !== '' ? '' : `, in a terminal (process ${heldBy})`
  const cutOff = unreachableSince === undefined ? '' : ` for ${durationText(systemClock.now() - unreachableSince)}`
  const broken = breaker === undefined ? '' : `, ${brokenText(breaker)}`
  return `${who}: ${standingOf(session)}${cutOff}${pid === undefined ? '' : ` (pid ${pid})`}, ${messages}${queued}${permission}${held}${waits}${broken}`
}

/** Why the session's process is not started, and when Iris tries again. */
function brokenText({ retryAt, cause }: NonNullable<Session['breaker']>): string {
  const left = retryAt - systemClock.now()
  return `not started ${left > 0 ? `for ${durationText(left)}` : 'until the next message'} after five failures: ${cause}`
}

import type { z } from 'zod'
import type { Call } from '../../../kernel/call/call.ts'
import { isNamed, isRestricted } from '../../../kernel/call/policy.ts'
import type { Principal } from '../../../kernel/call/principal.ts'
import type { TeamConfig } from '../../../platform/config/config.ts'
import { roleOf } from '../../../platform/config/roles.ts'
import type { ClusterView } from '../../cluster/view.ts'
import type { listTeams } from '../contract.ts'
import { awakeTeams, limitOf, linkOf, shown, type TeamsParts, teamView } from './teams.ts'

/** The dependencies of these operations. */
export interface ListTeamsParts extends TeamsParts {
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
}

type Input = z.output<typeof listTeams.input>
type Output = z.output<typeof listTeams.output>
type View = Output['teams'][number]

const usualPage = 50
/** Bytes of JSON: for the teams with their details, and for the names that follow. */
const [mostBytes, mostNameBytes] = [16_000, 6_000]
/** Characters of a description in a list for a model. */
const maxDescription = 400

interface Candidate {
  readonly name: string
  readonly description: string | undefined
  /** Everything that is known about the team. */
  readonly view: () => View
}

export function list({ query, limit }: Input, { auth, isWhole = false }: Call, parts: ListTeamsParts): Output {
  const { config, configProblem, clock } = parts
  const { limitedTo } = auth.principal
  const ofRole = limitedTo === undefined ? undefined : roleOf(config(), limitedTo).teams
  const { asks } = auth.principal
  const asked = asks === undefined ? ofRole : asks.filter((name) => ofRole?.includes(name) ?? true)
  const isOfAgent = isRestricted(auth.principal) || auth.team !== undefined
  // Agents pay for what they read.
  const awake = isOfAgent ? undefined : awakeTeams(parts.sessions.opened())
  const own = [...config().teams].filter(([name]) => asked?.includes(name) ?? true)
  const candidates = [
    ...own.map(([name, team]) => candidateOf(name, team, awake, auth.principal, parts)),
    ...(ofRole === undefined ? elsewhere(parts, isWhole) : []).filter(({ name }) => asks?.includes(name) ?? true),
  ]
  const found = query === undefined ? candidates : matching(candidates, query)
  const of = (each: Candidate): View => (isOfAgent && each.name !== query ? brief(each) : each.view())
  const teams = isWhole
    ? found.slice(0, limit).map((each) => each.view())
    : [...fitting(found.slice(0, limit ?? usualPage), of)]
  const moreNames = isWhole ? [] : namesThatFit(found.slice(teams.length))
  return {
    teams,
    ...(moreNames.length > 0 && { moreNames }),
    totalTeams: found.length,
    ...(!isNamed(auth.principal) && shown(configProblem())),
    timestamp: clock.now(),
  }
}

function candidateOf(
  name: string,
  team: TeamConfig,
  awake: ReadonlySet<string> | undefined,
  principal: Principal,
  parts: ListTeamsParts,
): Candidate {
  const view = (): View => (isNamed(principal) ? offered(name, team) : whole())
  const whole = (): View => ({
    name,
    ...(awake && { status: awake.has(name) ? ('awake' as const) : ('asleep' as const) }),
    config: {
      ...teamView(team),
      ...limitOf(name, parts),
      idleTimeout: team.idleTimeout ?? parts.config().settings.idleTimeout,
      ...(team.accepts && { accepts: team.accepts }),
      ...(team.returns && { returns: team.returns }),
    },
    ...linkOf(name, principal, parts),
  })
  return { name, description: team.description, view }
}

/** The information a program needs to ask a team, with nothing about this machine. */
function offered(name: string, { description, accepts, returns }: TeamConfig): View {
  const said = { ...(description !== undefined && { description }), ...(accepts && { accepts }) }
  return { name, config: { ...said, ...(returns && { returns }) } }
}

/** Teams of other hosts. For a model, those of hosts that config.yaml names come first. */
function elsewhere(parts: ListTeamsParts, isWhole: boolean): readonly Candidate[] {
  const candidates = teamsElsewhere(parts).map((team) => ({
    name: team.name,
    description: team.config.description,
    isNamed: false,
    ...(!isWhole && { isNamed: parts.cluster.hosts.isNamed(team.config.host ?? '') }),
    view: () => team,
  }))
  return [...candidates.filter(({ isNamed }) => isNamed), ...candidates.filter(({ isNamed }) => !isNamed)]
}

/**
 * The teams that contain every word of the query in their name or description; a team with exactly that name comes
 * first.
 */
function matching(candidates: readonly Candidate[], query: string): readonly Candidate[] {
  const words = query.toLowerCase().split(/\s+/)
  const isFound = ({ name, description = '' }: Candidate): boolean => {
    const text = `${name}\n${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const named = candidates.filter(({ name }) => name === query)
  return [...named, ...candidates.filter((each) => each.name !== query && isFound(each))]
}

/** The information an agent needs to choose a team. */
function brief({ name, description }: Candidate): View {
  if (description === undefined) return { name, config: {} }
  const isLong = description.length > maxDescription
  const text = isLong ? `${description.slice(0, maxDescription)}…`.toWellFormed() : description
  return { name, config: { description: text } }
}

function* fitting(found: readonly Candidate[], of: (each: Candidate) => View): Generator<View> {
  let left = mostBytes
  for (const each of found) {
    const view = of(each)
    const bytes = Buffer.byteLength(JSON.stringify(view))
    // The first team is always shown; the bound of the whole reply shortens its fields.
    if (bytes > left && left < mostBytes) return
    left -= bytes
    yield view
  }
}

function namesThatFit(rest: readonly Candidate[]): string[] {
  let left = mostNameBytes
  const end = rest.findIndex(({ name }) => (left -= Buffer.byteLength(name) + 3) < 0)
  return (end === -1 ? rest : rest.slice(0, end)).map(({ name }) => name)
}

/** Teams that other hosts offer, each as `team@host`. */
export function teamsElsewhere(parts: ListTeamsParts) {
  const { config, cluster } = parts
  const { idleTimeout } = config().settings
  return cluster.hosts.teams().map(({ fullName, host, name: _name, limited: _limited, ...shownTeam }) => ({
    name: fullName,
    config: { path: '', idleTimeout, ...shownTeam, ...limitOf(fullName, parts), host: host.name },
    link: { state: cluster.hosts.isAwake(host) ? ('connected' as const) : ('asleep' as const), since: host.seenAt },
  }))
}

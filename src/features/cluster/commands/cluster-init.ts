import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { TeamName } from '../../../base/protocol/names.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import { hostName } from '../../../platform/config/cluster.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { type KeeperFile, keeperFile, putKeeperFile, sharedTeams } from '../../../platform/config/keeper-file.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { serverInfo } from '../../../platform/config/nats-server-info.ts'
import { logRights } from '../../../platform/config/nats-user.ts'
import { configurationOf, costOf } from './nats-configuration.ts'

const answerWithinMs = 3000
const maxCredentialsBytes = 64 * 1024

interface InitOptions {
  readonly credentials?: string
  readonly hosts?: string
  readonly teams?: string
}

/** Makes this host the keeper of the servers. Running it again does no harm. */
export async function init({ context, env, options, json }: Given): Promise<number> {
  refuseInsideAgent(env, 'look after the servers')
  const home = irisHome(env)
  const config = await loadConfig({ home, env })
  const { cluster } = config
  if (cluster === undefined) {
    throw new IrisError(
      'not_allowed',
      'No other machines are connected.',
      'Join them first: iris cluster join --servers … --name …',
    )
  }
  const given = options as InitOptions
  const before = await keeperFile(home)
  const hosts = namesIn(given.hosts, hostName, 'a host')
  const teams = namesIn(given.teams, TeamName, 'a team')
  const credentials =
    (given.credentials && (await read(context.pathOf(given.credentials), home, env))) ??
    before?.credentials ??
    `keeper_${cluster.name}:${randomBytes(24).toString('base64url')}`
  const keeper: KeeperFile = {
    credentials,
    hosts: merged(before?.hosts, hosts),
    teams: merged(before?.teams, teams),
  }
  await putKeeperFile(home, keeper)
  const [info, kept] = [
    await serverInfo(cluster.servers[0]!, answerWithinMs),
    await ownerCall(context, 'keep_servers', {}),
  ]
  const configuration = configurationOf(cluster.servers[0]!, info?.version, credentials)
  const shared = [...sharedTeams(config).map(({ name }) => name), ...keeper.teams]
  if (json) context.sayJson({ configuration, ...kept })
  else
    for (const line of [...ofServer(configuration, info?.version), ...ofTeams(shared), ...ofKept(kept)])
      context.say(line)
  if (!json && given.credentials)
    context.say(`The credentials are kept in Iris's home, which agents do not see. Remove ${given.credentials}.`)
  return kept.problems.length === 0 ? 0 : 1
}

async function read(path: string, home: string, env: Given['env']): Promise<string> {
  const found = await channelToken({ tokenFile: path }, home, env, maxCredentialsBytes)
  if ('token' in found) return found.token
  throw new IrisError(
    'invalid_input',
    `Iris cannot use the credentials file: ${found.problem}.`,
    'Use a file that only you can read.',
  )
}

function namesIn(text: string | undefined, schema: z.ZodType<string>, what: string): readonly string[] {
  const names = text === undefined ? [] : text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !schema.safeParse(name).success)
  if (wrong === undefined) return names
  throw new IrisError('invalid_input', `"${wrong}" is not a valid name for ${what}.`, 'Separate names with commas.')
}

function merged(before: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...before, ...more])]
}

function ofServer(configuration: string, version: string | undefined): string[] {
  return [`The configuration of nats-server:\n\n${configuration}\n`, `${costOf(version)}\n`]
}

function ofTeams(teams: readonly string[]): string[] {
  return [...new Set(teams)].map(
    (team) =>
      `The users of all hosts of ${team} may also publish: ${logRights(team)
        .map((right) => `"${right}"`)
        .join(', ')}`,
  )
}

const addUser = "If the server does not have the keeper's user yet, add it to the configuration, and reload the server."

function ofKept({ made, changed, problems }: Output<'keep_servers'>): string[] {
  return [
    'This host is the keeper: it checks the servers at each connection, and once an hour.',
    ...(made.length === 0 ? [] : [`Made: ${made.join(', ')}.`]),
    ...(changed.length === 0 ? [] : [`Restored the configuration of: ${changed.join(', ')}.`]),
    ...problems.map((problem) => `Not done: ${problem}.`),
    problems.length === 0 ? 'The servers are fully set up.' : `${addUser} The keeper retries automatically.`,
  ]
}

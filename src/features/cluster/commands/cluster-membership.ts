import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join as joinPath, resolve } from 'node:path'
import { ownerCall } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import { choose } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { changeConfig, removeValue, setValue } from '../../../platform/config/change-text.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import { expandTilde, homePaths, irisHome } from '../../../platform/config/home.ts'
import { Invitation, type InvitedHosts, maxInvitationBytes } from '../../../platform/config/invitation.ts'
import { noteInvited } from '../../../platform/config/invited-hosts.ts'
import { keeperFile } from '../../../platform/config/keeper-file.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { serverInfo, serversWithoutUsers } from '../../../platform/config/nats-server-info.ts'
import { natsUser } from '../../../platform/config/nats-user.ts'

const ownFile = { mode: 0o600, flag: 'wx' } as const
const credentialsFile = 'cluster.credentials'
const caFile = 'cluster-ca.pem'
const answerWithinMs = 3000

/** Writes the file with which another host joins, and shows what to change on the server. */
export async function invite({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'invite a host')
  const { host } = options as { host: string }
  const home = irisHome(env)
  const { cluster, teams } = await loadConfig({ home, env })
  if (cluster === undefined) {
    throw new IrisError(
      'not_allowed',
      'No other machines are connected.',
      'Join them first: iris cluster join --servers … --name …',
    )
  }
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(host)) {
    throw new IrisError(
      'invalid_input',
      `"${host}" is not a valid name for a host.`,
      'Use small letters, digits and -.',
    )
  }
  const isKeeper = (await keeperFile(home)) !== undefined
  if (!isKeeper) await refuseBesideKeeper(context, cluster.servers, host)
  const password = randomBytes(24).toString('base64url')
  const sharedTeams = [...teams.values()].flatMap(({ name, hosts }) => (hosts?.includes(host) ? [name] : []))
  const file = context.pathOf(`${host}.iris-invite`)
  const ca = cluster.ca && (await readFile(resolve(home, expandTilde(cluster.ca, env)), 'utf8'))
  const hosts = await knownHosts(context, host)
  const invitation: Invitation = {
    servers: [...cluster.servers],
    name: host,
    user: host,
    password,
    ...(ca && { ca }),
    hosts,
  }
  const text = `${JSON.stringify(invitation, null, 2)}\n`
  if (text.length > maxInvitationBytes) {
    const remedy =
      "In cluster.ca, name a file that contains only the certificate that signed the servers' certificates."
    throw new IrisError('invalid_input', `An invitation can have at most ${maxInvitationBytes} bytes.`, remedy)
  }
  await writeFile(file, text, ownFile).catch((error: NodeJS.ErrnoException) => {
    throw new IrisError(
      'invalid_input',
      `${file} cannot be written (${error.code}).`,
      'If a file with that name exists, remove it first.',
    )
  })
  await noteInvited(home, [host])
  const { problems } = isKeeper ? await ownerCall(context, 'keep_servers', {}) : { problems: [] }
  for (const problem of problems) context.note(`Something is missing: ${problem}.`)
  const user = natsUser({ name: host, password, sharedTeams })
  if (json) return context.sayJson({ file, user })
  context.say(`1. Add this user to "authorization { users: [ … ] }" of nats-server, and reload it:\n\n    ${user}\n`)
  context.say(
    `2. Take ${file} to ${host} over a channel that only you can read, and run there:\n\n    iris cluster join ${host}.iris-invite\n`,
  )
  context.say('The file holds a password. Joining removes it.')
  if (hosts.length === 0)
    context.say(
      'The file has no key of this host, because Iris has not started with its cluster yet. Run iris restart, and invite again.',
    )
  if (cluster.credentials === undefined) {
    const own = cluster.name
    context.say(`\nA server with users refuses everybody else, and this host has no user yet. Before you reload the server, give it
one in the same way: iris cluster invite ${own}, and here: iris cluster join ${own}.iris-invite`)
  }
}

/** On a server with users, only the keeper creates mailboxes, so an invitation from another host would be of no use. */
async function refuseBesideKeeper(context: CommandContext, servers: readonly string[], host: string): Promise<void> {
  const infos = await Promise.all(servers.map((url) => serverInfo(url, answerWithinMs)))
  if (!infos.some((info) => info?.auth_required)) return
  const { link } = await ownerCall(context, 'cluster_status', {})
  if (link.keeper === undefined) {
    const what = 'The server has users, but no host is known to be the keeper, which creates the mailboxes.'
    throw new IrisError('not_allowed', what, 'Run iris cluster init on one host, and invite there.')
  }
  const what = `Only the keeper can invite: it creates the mailbox for ${host}.`
  throw new IrisError('not_allowed', what, `Run on ${link.keeper}: iris cluster invite ${host}`)
}

/** The hosts whose keys the invited host should trust, this host first. */
async function knownHosts(context: CommandContext, invited: string): Promise<InvitedHosts> {
  const { self, key, hosts } = await ownerCall(context, 'cluster_status', {})
  if (self === undefined || key === undefined) return []
  const others = hosts.flatMap(({ name, key: known, signs }) => (name === invited ? [] : [{ name, key: known, signs }]))
  return [...(self === invited ? [] : [{ name: self, key, signs: true }]), ...others]
}

/** Writes `cluster` into config.yaml: from an invitation, or from an address and a name. */
export async function join({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'join this host with others')
  const home = irisHome(env)
  const { file, servers, name, withoutUsers = false } = options as JoinOptions
  const invitation = file === undefined ? undefined : await readInvitation(context, file)
  const given = invitation ?? { servers: servers?.split(',') ?? [], name: name ?? '' }
  if (given.servers.length === 0 || given.name === '') {
    const remedy = 'Give the file that "iris cluster invite" made, or --servers nats://10.0.0.5:4222 --name studio.'
    const what = 'You need an invitation, or a server and a name.'
    throw new IrisError('invalid_input', what, remedy)
  }
  if (!withoutUsers && !(await isAgreed(context, given.servers, json))) return
  const credentials = joinPath(home, credentialsFile)
  if (invitation?.hosts) {
    const { invitedKeys } = homePaths(home)
    makeDirectory(dirname(invitedKeys))
    await writeFile(invitedKeys, JSON.stringify(invitation.hosts), { mode: 0o600 })
    await noteInvited(
      home,
      invitation.hosts.map(({ name }) => name),
    )
  }
  if (invitation) {
    await rm(credentials, { force: true })
    await writeFile(credentials, `${invitation.user}:${invitation.password}\n`, ownFile)
  }
  const ca = joinPath(home, caFile)
  if (invitation?.ca !== undefined) await writeFile(ca, invitation.ca, { mode: 0o600 })
  await changeConfig({ home, env }, (document) => {
    setValue(document, ['cluster', 'servers'], given.servers)
    setValue(document, ['cluster', 'name'], given.name)
    if (invitation) setValue(document, ['cluster', 'credentials'], credentials)
    if (invitation?.ca !== undefined) setValue(document, ['cluster', 'ca'], ca)
    else if (invitation) document.deleteIn(['cluster', 'ca'])
  })
  if (file !== undefined) await rm(context.pathOf(file))
  if (json) return context.sayJson({ name: given.name, servers: given.servers })
  context.say(`This host is ${given.name}. Restart Iris to join the others: iris restart`)
}

interface JoinOptions {
  readonly file?: string
  readonly servers?: string
  readonly name?: string
  readonly withoutUsers?: boolean
}

/** Asks a person whether to join servers that let everybody in. Throws `invalid_input` if nobody can be asked. */
async function isAgreed(context: CommandContext, servers: readonly string[], json: boolean): Promise<boolean> {
  const open = await serversWithoutUsers(servers, answerWithinMs)
  if (open.length === 0) return true
  const what = `${open.join(', ')} asks for no login: anyone who can reach its port can read messages, write as a new host and stop others.`
  if (!context.isInteractive || json) {
    const remedy = 'Give each host a user first (docs/guide/many-machines.md), or add --without-users.'
    throw new IrisError('invalid_input', what, remedy)
  }
  const answers = [
    { value: 'no', label: 'No, change nothing' },
    { value: 'yes', label: 'Yes' },
  ] as const
  return (await choose(context, `${what} Join?`, answers)) === 'yes'
}

async function readInvitation(context: CommandContext, file: string): Promise<Invitation> {
  const path = resolve(context.pathOf(file))
  // Anyone who can read the file can join as this host.
  const read = await channelToken({ tokenFile: path }, irisHome(context.env), context.env, maxInvitationBytes)
  if ('problem' in read)
    throw new IrisError('invalid_input', `The invitation: ${read.problem}.`, 'Ask for another one.')
  const parsed = Invitation.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (parsed.success) return parsed.data
  throw new IrisError(
    'invalid_input',
    `${file} is not an invitation.`,
    'Create one on a host that has joined: iris cluster invite',
  )
}

/** Stops or resumes accepting new conversations from other hosts. */
export async function drain({ context, options, json }: Given): Promise<void> {
  const { off = false } = options as { off?: boolean }
  const drained = await ownerCall(context, 'drain_host', { drained: !off })
  if (json) return context.sayJson(drained)
  if (!drained.drained) return context.say('This host takes new conversations again.')
  context.say(
    `This host accepts no new conversations from others. ${drained.answering} of their messages are not answered yet.`,
  )
}

/** Ends the membership: others no longer list its teams, and config.yaml has no `cluster`. */
export async function leave({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'disconnect this host from the others')
  const home = irisHome(env)
  const { force = false } = options as { force?: boolean }
  const left = await ownerCall(context, 'leave_cluster', { force })
  await changeConfig({ home, env }, (document) => removeValue(document, ['cluster']))
  const files = [joinPath(home, credentialsFile), joinPath(home, caFile), homePaths(home).keeper]
  for (const file of files) await rm(file, { force: true })
  if (json) return context.sayJson(left)
  context.say('Restart Iris to disconnect the other machines: iris restart')
}

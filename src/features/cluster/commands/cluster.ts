import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { counted } from '../../../app/cli/counted.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { isChosen } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { visible } from '../../../base/lib/visible.ts'
import { IrisError } from '../../../base/protocol/error.ts'

type Status = Output<'cluster_status'>

const words: Readonly<Record<Status['hosts'][number]['state'], string>> = {
  awake: 'awake',
  asleep: 'asleep',
  stranger: 'its key has changed: Iris won\'t trust it until "iris cluster forget"',
}

const noUsers =
  'The server asks for no login: anyone who can reach its port can read messages, write as a new host and stop others.'

export function clusterLines({ self, drained, link, hosts, refused, lostRecords, timestamp }: Status): string[] {
  if (self === undefined) return ['No other machines connected: docs/guide/many-machines.md says how to join others.']
  const lag = link.roundTripMs === undefined ? '' : `, round trip to the server ${link.roundTripMs} ms`
  const why = link.why === undefined ? '' : ` (${visible(link.why)})`
  return [
    `This host is ${self}: ${link.state}${why}${lag}${drained ? ', drained' : ''}`,
    ...(link.lost === undefined ? [] : [`Lost: ${visible(link.lost)}.`]),
    ...(link.problem === undefined ? [] : [`Problem: ${visible(link.problem)}.`]),
    ...(link.keeper === undefined ? [] : [`Keeper of the servers: ${link.keeper}`]),
    ...(link.withoutUsers ? [noUsers] : []),
    ...lostRecords.map(
      ({ at, team, from, thread, was, is }) =>
        `Lost: records of ${visible(from)} to ${team} (${visible(thread)}), found ${new Date(at).toISOString()}: the log had ended at ${was}, and ${is === 0 ? 'was empty' : `ended at ${is}`}.`,
    ),
    ...hosts.flatMap((host) => linesOf(host, timestamp)),
    ...refused.map(({ host, count, why }) => `${visible(host)}: refused or cut, ${count} times: ${visible(why)}`),
  ]
}

function linesOf(host: Status['hosts'][number], now: number) {
  const {
    name,
    state,
    version,
    seenAt,
    teams,
    waiting,
    waitingSince,
    answering,
    drained,
    load,
    signs,
    readsKnown,
    newIn,
  } = host
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000))
  const counts = [
    ...(waiting > 0 ? [`${waiting} of this host's messages are waiting for it${since(waitingSince, now)}`] : []),
    ...(answering > 0 ? [`${answering} of its messages are waiting for an answer here`] : []),
  ]
  return [
    `${name}  ${words[state]}${drained ? ', takes no new conversations' : ''}, seen ${seconds} s ago, Iris ${visible(version)}`,
    `  teams     ${teams.length === 0 ? 'none' : teams.map((team) => visible(`${team}@${name}`)).join(', ')}`,
    ...(newIn.length === 0 ? [] : [`  new in    ${newIn.map(visible).join(', ')}, for less than a week`]),
    ...(signs
      ? []
      : ['  upgrade   its Iris does not sign what it announces, so it takes part in no team of several hosts']),
    ...(signs && !readsKnown
      ? ['  upgrade   its Iris may run a message again if the servers have lost its records']
      : []),
    ...(load
      ? [
          `  load      ${counted(load.turns, 'message')}, ${load.processes} process${load.processes === 1 ? '' : 'es'}${memory(load.freeMiB)}`,
        ]
      : []),
    ...(counts.length === 0 ? [] : [`  messages  ${counts.join(', ')}`]),
  ]
}

function since(at: number | undefined, now: number): string {
  return at === undefined ? '' : `, the oldest for ${Math.max(0, Math.round((now - at) / 1000))} s`
}

function memory(freeMiB: number | undefined): string {
  return freeMiB === undefined ? '' : `, ${(freeMiB / 1024).toFixed(1)} GiB of memory free`
}

export async function forget({ context, options, json }: Given): Promise<number> {
  const { host, unreachable = false, yes = false } = options as { host?: string; unreachable?: boolean; yes?: boolean }
  if ((host === undefined) !== unreachable) {
    const remedy = 'Give one of them: iris cluster forget studio, or iris cluster forget --unreachable.'
    throw new IrisError('invalid_input', 'Give either the name of a host or --unreachable.', remedy)
  }
  if (host === undefined) return forgetUnreachable(context, yes, json)
  const forgotten = await ownerCall(context, 'forget_host', { host })
  if (json) context.sayJson(forgotten)
  else context.say(`${forgotten.host} is forgotten.`)
  return 0
}

async function forgetUnreachable(context: CommandContext, yes: boolean, json: boolean): Promise<number> {
  const found = await ownerCall(context, 'forget_unreachable_hosts', { dryRun: true })
  if (!json) for (const line of unreachableLines(found)) context.say(line)
  const { hosts } = found
  if (hosts.length > 0 && !yes && !(await isAgreed(context, hosts, json))) {
    context.note('Nothing was changed.')
    return interrupted
  }
  // If a host has come back since then, it is not forgotten.
  const forgotten = hosts.length === 0 ? found : await ownerCall(context, 'forget_unreachable_hosts', { hosts })
  if (json) context.sayJson(forgotten)
  else
    context.say(
      hosts.length === 0 ? 'There is no host to forget.' : `${counted(forgotten.hosts.length, 'host')} forgotten.`,
    )
  return 0
}

function unreachableLines({ hosts, kept }: Output<'forget_unreachable_hosts'>): string[] {
  return [
    ...(hosts.length === 0 ? [] : [`Cannot be reached, and nothing here needs them: ${hosts.map(visible).join(', ')}`]),
    ...kept.map(({ host, why }) => `${visible(host)} stays: ${why}.`),
  ]
}

async function isAgreed(context: CommandContext, hosts: readonly string[], json: boolean): Promise<boolean> {
  const what = `${counted(hosts.length, 'host')} and their keys would be forgotten.`
  if (!context.isInteractive || json) throw new IrisError('invalid_input', what, 'Add --yes to confirm.')
  return isChosen(context, `${what} Iris will trust the next host that uses each of these names. Continue?`)
}

import type { Output } from '../../../adapters/client/tool-call.ts'
import { visible } from '../../../base/lib/visible.ts'
import { ownerCall } from '../call.ts'
import { counted } from '../counted.ts'
import type { Given } from '../table/spec.ts'

type Status = Output<'cluster_status'>

const words: Readonly<Record<Status['hosts'][number]['state'], string>> = {
  awake: 'awake',
  asleep: 'asleep',
  stranger: 'shows another key than before, and is not believed: see "iris cluster forget"',
}

const noUsers =
  'The server asks for no login: whoever reaches its port can read messages, write as a new host and stop others.'

export function clusterLines({ self, drained, link, hosts, refused, timestamp }: Status): string[] {
  if (self === undefined) return ['This host is alone: docs/guide/many-machines.md says how to join others.']
  const lag = link.roundTripMs === undefined ? '' : `, ${link.roundTripMs} ms to the server and back`
  const why = link.why === undefined ? '' : ` (${visible(link.why)})`
  return [
    `This host is ${self}: ${link.state}${why}${lag}${drained ? ', drained' : ''}`,
    ...(link.withoutUsers ? [noUsers] : []),
    ...hosts.flatMap((host) => linesOf(host, timestamp)),
    ...refused.map(({ host, count, why }) => `${visible(host)}: refused ${counted(count, 'announcement')}: ${why}`),
  ]
}

function linesOf(host: Status['hosts'][number], now: number) {
  const { name, state, version, seenAt, teams, waiting, waitingSince, answering, drained, load, signs, newIn } = host
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000))
  const counts = [
    ...(waiting > 0 ? [`${waiting} of ours wait for it${since(waitingSince, now)}`] : []),
    ...(answering > 0 ? [`${answering} of its own are not answered`] : []),
  ]
  return [
    `${name}  ${words[state]}${drained ? ', takes no new conversations' : ''}, seen ${seconds} s ago, Iris ${visible(version)}`,
    `  teams     ${teams.length === 0 ? 'none' : teams.map((team) => visible(`${team}@${name}`)).join(', ')}`,
    ...(newIn.length === 0 ? [] : [`  new in    ${newIn.map(visible).join(', ')}, for less than a week`]),
    ...(signs
      ? []
      : ['  upgrade   its Iris does not sign what it announces, so it takes part in no team of several hosts']),
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

export async function forget({ context, options, json }: Given): Promise<void> {
  const { host } = options as { host: string }
  const forgotten = await ownerCall(context, 'forget_host', { host })
  if (json) return context.sayJson(forgotten)
  context.say(`${forgotten.host} is forgotten.`)
}

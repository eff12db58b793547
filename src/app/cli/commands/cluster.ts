import type { Output } from '../../../adapters/client/tool-call.ts'
import { visible } from '../../../base/lib/visible.ts'
import { ownerCall } from '../call.ts'
import type { Given } from '../command/spec.ts'
import { say, sayJson } from '../say.ts'

type Status = Output<'cluster_status'>

const words: Readonly<Record<Status['hosts'][number]['state'], string>> = {
  awake: 'awake',
  asleep: 'asleep',
  stranger: 'shows another key than before, and is not believed: see "iris cluster forget"',
}

export function clusterLines({ self, drained, link, hosts, timestamp }: Status): string[] {
  if (self === undefined) return ['This host is alone: docs/guide/many-machines.md says how to join others.']
  const why = link.why === undefined ? '' : ` (${visible(link.why)})`
  return [
    `This host is ${self}: ${link.state}${why}${drained ? ', drained' : ''}`,
    ...hosts.flatMap((host) => linesOf(host, timestamp)),
  ]
}

function linesOf(
  { name, state, version, seenAt, teams, waiting, answering, drained, load }: Status['hosts'][number],
  now: number,
) {
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000))
  const counts = [
    ...(waiting > 0 ? [`${waiting} of ours wait for it`] : []),
    ...(answering > 0 ? [`${answering} of its own are not answered`] : []),
  ]
  return [
    `${name}  ${words[state]}${drained ? ', takes no new conversations' : ''}, seen ${seconds} s ago, Iris ${visible(version)}`,
    `  teams     ${teams.length === 0 ? 'none' : teams.map((team) => visible(`${team}@${name}`)).join(', ')}`,
    ...(load ? [`  load      ${load.turns} messages, ${load.processes} processes`] : []),
    ...(counts.length === 0 ? [] : [`  messages  ${counts.join(', ')}`]),
  ]
}

export async function forget({ env, options, json }: Given): Promise<void> {
  const { host } = options as { host: string }
  const forgotten = await ownerCall(env, 'forget_host', { host })
  if (json) return sayJson(forgotten)
  say(`${forgotten.host} is forgotten.`)
}

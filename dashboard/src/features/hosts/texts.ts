import { counted } from '../../shared/format/counted.ts'

/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  alone: 'This host is alone.',
  aloneWhy: 'Teams of other machines can be asked once config.yaml has a cluster, or after "iris cluster join".',
  answering: (count: number) => `${count} of its messages ${count === 1 ? 'is' : 'are'} not answered here`,
  conversation: (from: string, to: string, thread: string) =>
    thread === 'main' ? `${from} → ${to}` : `${from} → ${to} (${thread})`,
  drained: 'takes no new conversations',
  hosts: 'Hosts',
  kinds: {
    taken: (former: string) => `taken over from ${former}`,
    lost: (_former: string, host: string) => `taken over by ${host}`,
    sent: (former: string, host: string) => `our message went from ${former} to ${host}`,
  },
  free: (memory: string) => `, ${memory} free`,
  keeper: (host: string) => `${host} looks after the servers`,
  links: {
    off: 'off',
    connecting: 'connecting',
    connected: 'connected',
    unreachable: 'unreachable',
    refused: 'refused',
  },
  load: (turns: number, processes: number) =>
    `${counted(turns, 'message')}, ${counted(processes, 'process', 'processes')}`,
  lost: (what: string) => `Lost: ${what}`,
  lostRecords: (was: number, is: number) =>
    `the log had ended at ${was}, and ${is === 0 ? 'was empty' : `ended at ${is}`}`,
  moves: 'Takeovers',
  newIn: (teams: string) => `New in ${teams}, for less than a week`,
  noHosts: 'No other host has announced itself.',
  noHostsWhy: 'Hosts of the same servers appear here within two seconds.',
  noMoves: 'No conversation has moved to another host.',
  noTeams: 'It offers no teams.',
  refused: (host: string, times: number, why: string) => `${host}: refused or cut, ${counted(times, 'time')}: ${why}`,
  roundTrip: (time: string) => `the server answers within ${time}`,
  seen: 'seen',
  states: { awake: 'awake', asleep: 'asleep', stranger: 'shows another key than before' },
  strangerWhy: (name: string) =>
    `Iris believes nothing of this host, which may be somebody else. If the machine was installed again, forget the former key: iris cluster forget ${name}`,
  teams: 'Teams',
  theHosts: 'the hosts',
  thisHost: 'This host',
  trouble: 'Lost or rejected',
  version: (version: string) => `Iris ${version}`,
  waiting: (count: number) => `${count} of our messages ${count === 1 ? 'waits' : 'wait'} for it`,
  waitingSince: 'the oldest was accepted',
}

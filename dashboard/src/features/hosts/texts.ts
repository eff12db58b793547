import { pairTitle } from '../../shared/format/asker.ts'
import { counted } from '../../shared/format/counted.ts'

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  alone: 'No other machines connected',
  aloneWhy: 'You can ask teams on other machines once config.yaml has a cluster, or after "iris cluster join".',
  answering: (count: number) => `${count} of its messages ${count === 1 ? 'is' : 'are'} waiting for an answer here`,
  conversation: (from: string, to: string, thread: string) => pairTitle({ from, to, thread }),
  drained: 'takes no new conversations',
  hosts: 'Machines',
  kinds: {
    taken: (former: string) => `taken over from ${former}`,
    lost: (_former: string, host: string) => `taken over by ${host}`,
    sent: (former: string, host: string) => `our message moved from ${former} to ${host}`,
  },
  free: (memory: string) => `, ${memory} free`,
  keeper: (host: string) => `${host} manages the servers`,
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
  noHosts: 'No other machine has announced itself.',
  noHostsWhy: 'Machines that use the same servers appear here within two seconds.',
  noMoves: 'No conversation has moved to another machine.',
  noTeams: 'It offers no teams.',
  refused: (host: string, times: number, why: string) => `${host}: refused or cut, ${counted(times, 'time')}: ${why}`,
  roundTrip: (time: string) => `the server answers within ${time}`,
  seen: 'seen',
  states: { awake: 'awake', asleep: 'asleep', stranger: 'key has changed' },
  strangerWhy: (name: string) =>
    `This machine's key has changed: it may have been reinstalled, or be somebody else's. Iris won't trust it until you run "iris cluster forget ${name}".`,
  teams: 'Teams',
  theHosts: 'the machines',
  thisHost: 'This machine',
  trouble: 'Lost or rejected',
  version: (version: string) => `Iris ${version}`,
  waiting: (count: number) => `${count} of our messages ${count === 1 ? 'waits' : 'wait'} for it`,
  waitingSince: 'the oldest was accepted',
}

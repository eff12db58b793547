import type { Observable } from 'rxjs'
import type { Log } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import { homePaths } from '../../platform/config/home.ts'
import { brokenDirectories, brokenMachines } from './broken.ts'
import { ClaudeWatch, type ClaudeWatchParts } from './claude-watch.ts'
import { teamEvents } from './events.ts'
import { type ListTeamsParts, list } from './handlers/list-teams.ts'
import { sleep, type TeamsParts, teamsStatus, wake } from './handlers/teams.ts'
import { type WakeAllParts, wakeAll } from './handlers/wake-all.ts'

interface Needs
  extends Omit<ListTeamsParts, 'claudeProblem'>,
    Omit<TeamsParts, 'claudeProblem'>,
    WakeAllParts,
    Omit<ClaudeWatchParts, 'file'> {
  readonly config: TeamsParts['config']
  readonly events: Observable<PublishedEvent>
  readonly log: Log
}

/** The list of teams, their Claude Code and their processes, and starting and ending processes by hand. */
export const teams = feature('teams', { events: teamEvents }, (parts: Needs) => {
  const { config, events, log } = parts
  const watch = new ClaudeWatch({ ...parts, file: homePaths(config().home).probes })
  const look = (): void =>
    void watch.look().catch((error: unknown) => log.warn(`the installed Claude Code is unknown: ${String(error)}`))
  // Claude Code may update itself between two starts.
  events.subscribe(({ type }) => type === 'process-spawned' && look())
  const claudeProblem = (): string | undefined => watch.problem
  const reading = { ...parts, claudeProblem }
  return {
    gives: { claudeProblem },
    broken: () => [...brokenDirectories(parts), ...brokenMachines(parts)],
    handlers: {
      list_teams: (input, call) => list(input, call, reading),
      team_status: (input, call) => teamsStatus(input, call, reading),
      team_wake: (input, call) => wake(input, call, reading),
      team_launch: (input, call) => wake(input, call, reading),
      team_wake_all: (input, call) => wakeAll(input, call, reading),
      team_sleep: (input, call) => sleep(input, call, reading),
    },
    begin: look,
    changed: look,
  }
})

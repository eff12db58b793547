import type { Log } from '../../base/lib/log.ts'
import type { TeamPrograms } from '../../kernel/pool/team-programs.ts'

/** Logs once, at the start, what is hidden from agents and what is not. */
export async function tellIsolation(
  names: Iterable<string>,
  programs: Pick<TeamPrograms, 'isolationsOf'>,
  log: Log,
): Promise<void> {
  const teams = new Map<string, { holds: boolean; names: string[] }>()
  for (const [name, { holds, detail }] of await programs.isolationsOf(names)) {
    const entry = teams.get(detail) ?? { holds, names: [] }
    entry.names.push(name)
    teams.set(detail, entry)
  }
  for (const [detail, { holds, names: concerned }] of teams) {
    if (holds) log.info(`isolation of agents: ${detail}`, { teams: concerned })
    else log.warn(`agents are not isolated: ${detail}`, { teams: concerned })
  }
}

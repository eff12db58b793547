import { realpathSync } from 'node:fs'
import { configDirectory, processEnvironment } from '../../claude/driver/environment.ts'
import { recordRebuilt as recordInAudit } from '../../features/audit/record-rebuilt.ts'
import type { TranscriptPlace } from '../../kernel/rebuild/conversations.ts'
import { type OpenedStore, type OpenStoreParts, openStore } from '../../kernel/rebuild/open-store.ts'
import type { Config } from '../../platform/config/config.ts'
import { homePaths } from '../../platform/config/home.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import type { Surroundings } from './surroundings.ts'

/** Opens the store. `endFormer` ends processes that must not write while a damaged store is rebuilt. */
export function openOwnStore(
  { live, clock, env, random }: Pick<Surroundings, 'live' | 'clock' | 'env' | 'random'>,
  endFormer: () => Promise<unknown>,
): Promise<OpenedStore> {
  const config = live.current()
  const { streams, transcripts, storeMemory: memory } = homePaths(config.home)
  const kept = { tree: new LocalTree(transcripts), names: [] }
  const projects = projectDirectories(config, env)
  const { path } = config.database
  const recordRebuilt: OpenStoreParts['recordRebuilt'] = (database, why) =>
    recordInAudit(database, why, { path, clock })
  return openStore({ path, streams, projects, kept, clock, memory, random, recordRebuilt }, endFormer)
}

/** Where Claude Code keeps the conversations of the teams on this machine. */
function projectDirectories(
  { teams, settings, home }: Config,
  daemon: Surroundings['env'],
): readonly TranscriptPlace[] {
  const layers = { daemon, settings: settings.env, version: undefined }
  const here = [...teams.values()].filter(({ remote }) => remote === undefined)
  const all = here.map(({ env: team }) => configDirectory(processEnvironment({ ...layers, team })))
  const hidden = realpathSync(home)
  return [...new Set(all)].map((directory) => ({ tree: new LocalTree(directory, hidden), names: ['projects'] }))
}

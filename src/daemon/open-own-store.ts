import { join } from 'node:path'
import { configDirectory, processEnvironment } from '../claude/environment.ts'
import type { Config } from '../config/config.ts'
import { homePaths } from '../config/home.ts'
import { type OpenedStore, openStore } from '../rebuild/open-store.ts'
import type { Whole } from './compose.ts'

interface OwnStore extends Pick<Whole, 'clock' | 'env'> {
  readonly config: Config
}

/** The store of this Iris; what `endFormer` ends must not write while a damaged one is made anew. */
export function openOwnStore(
  { config, clock, env }: OwnStore,
  endFormer: () => Promise<unknown>,
): Promise<OpenedStore> {
  const { streams, transcripts: kept } = homePaths(config.home)
  const projects = projectDirectories(config, env)
  return openStore({ path: config.database.path, streams, projects, kept, clock }, endFormer)
}

/** Where the CLI keeps the conversations of the teams. */
function projectDirectories({ teams, settings }: Config, daemon: Whole['env']): readonly string[] {
  const layers = { daemon, settings: settings.env, version: undefined }
  const all = [...teams.values()].map(({ env: team }) => configDirectory(processEnvironment({ ...layers, team })))
  return [...new Set(all)].map((directory) => join(directory, 'projects'))
}

import { importsOf } from './imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

type Floors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/**
 * The floors of src/, from the bottom to the top, and the folders on each. A folder may import everything on the floors
 * below its own; on its own floor it may import only the folders that stand behind its name.
 */
export const floors: Floors = {
  base: { lib: [], protocol: [], rule: ['lib'] },
  platform: {
    store: [],
    search: ['store'],
    metrics: [],
    schema: [],
    machine: [],
    hosts: ['machine'],
    callers: ['machine'],
    config: ['machine', 'hosts'],
  },
  claude: { driver: [], turn: ['driver'], transcript: ['driver'] },
  core: {
    ...{ session: [], permission: [], forward: [], agents: [], insight: ['session'] },
    ...{
      pool: ['session'],
      discovery: ['session'],
      orchestrator: ['session', 'pool'],
      rebuild: ['orchestrator'],
      channels: ['session', 'forward', 'pool', 'orchestrator'],
      cluster: ['session', 'pool', 'orchestrator'],
    },
  },
  adapters: {
    operations: [],
    mcp: ['operations'],
    http: ['operations', 'mcp'],
    client: [],
    telegram: [],
    discord: [],
    slack: [],
    nats: [],
    otlp: [],
  },
  app: { demo: [], probe: ['demo'], doctor: ['probe'], daemon: [], cli: ['demo'] },
}

/** Folders that may import less of the floors below: these folders and no others. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  store: ['lib', 'protocol'],
  forward: ['lib', 'protocol', 'config'],
  // An adapter translates and decides nothing: what it needs of the core it asks the operations for.
  mcp: ['lib', 'protocol'],
  http: ['lib', 'protocol', 'config', 'metrics', 'forward'],
  // These run in other processes than the daemon: they load quickly and know what crosses, not how it is made.
  client: ['lib', 'protocol'],
  otlp: ['lib', 'protocol', 'store'],
  // It makes a store with a week in it before a daemon opens that store.
  demo: ['lib', 'protocol', 'client', 'store'],
  cli: ['lib', 'protocol', 'config', 'client'],
}

/** A folder `src/<floor>/<folder>/`, and where it stands. */
interface Place {
  readonly floor: number
  readonly folder: string
}

/** `src/core/pool/evict.ts` is in `pool`; `src/main.ts` and what is outside of src/ are in no folder. */
export function folderOf(path: string): string | undefined {
  const [source, , folder, file] = path.split('/')
  return source === 'src' && file !== undefined ? folder : undefined
}

function placeIn(table: Floors, path: string): Place | undefined {
  const [, name = '', folder = ''] = path.split('/')
  const floor = Object.keys(table).indexOf(name)
  return path.startsWith('src/') && table[name]?.[folder] !== undefined ? { floor, folder } : undefined
}

function breach(from: Place, to: Place, table: Floors): string | undefined {
  const names = Object.keys(table)
  if (to.floor > from.floor) return `${names[to.floor]} is above ${names[from.floor]}`
  if (to.floor === from.floor) {
    const beside = table[names[from.floor]!]![from.folder]!
    if (to.folder === from.folder || beside.includes(to.folder)) return undefined
    return `on its floor ${from.folder} may import ${beside.length === 0 ? 'nothing' : beside.join(', ')}`
  }
  const below = narrow[from.folder]
  if (below === undefined || below.includes(to.folder)) return undefined
  return `of the floors below ${from.folder} may import only ${below.join(', ')}`
}

/** A test may also import what helps testing, outside src/; what is shipped may not. Above all floors are main.ts and program.ts. */
export function importBreaches(files: readonly SourceFile[], table = floors): readonly string[] {
  return files.flatMap((file) => {
    if (!file.path.startsWith('src/')) return []
    const from = placeIn(table, file.path)
    return importsOf(file).flatMap((imported) => {
      const to = placeIn(table, imported)
      if (!imported.startsWith('src/')) {
        return isTest(file) ? [] : [`${file.path} imports ${imported}; what is shipped stays inside src/`]
      }
      if (from === undefined) return []
      const why = to === undefined ? `${imported} is on no floor` : breach(from, to, table)
      return why === undefined ? [] : [`${file.path} imports ${imported}; ${why}`]
    })
  })
}

/** `folders` as `readFolders` gives them: everything in src/ and on its floors, folders with a slash at the end. */
export function tableBreaches(folders: readonly string[], table = floors): readonly string[] {
  const known = new Set([
    'main.ts',
    'program.ts',
    ...Object.entries(table).flatMap(([floor, inside]) => [
      `${floor}/`,
      ...Object.keys(inside).map((folder) => `${floor}/${folder}/`),
    ]),
  ])
  return folders.filter((entry) => !known.has(entry)).map((entry) => `src/${entry} is not in the table of floors`)
}

/** On its own floor a folder may name only folders that stand before it: then the table has no ring. */
export function tableOrderBreaches(table = floors): readonly string[] {
  return Object.values(table).flatMap((folders) =>
    Object.entries(folders).flatMap(([folder, beside], index) =>
      beside
        .filter((name) => !Object.keys(folders).slice(0, index).includes(name))
        .map((name) => `${folder} names ${name}, which is not before it`),
    ),
  )
}

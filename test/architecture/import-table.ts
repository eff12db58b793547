import { importsOf, namesImported } from './imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

type Floors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/**
 * The floors of src/, from the bottom to the top, and the folders on each. A folder may import everything on the floors
 * below its own; on its own floor it may import only the folders listed for it.
 */
export const floors: Floors = {
  base: { lib: [], protocol: [], agent: ['lib', 'protocol'], rule: ['lib'], operation: ['lib', 'protocol'] },
  // What features say of themselves: their `contract.ts` and `contract/`.
  contracts: { contracts: [] },
  platform: {
    store: [],
    metrics: [],
    machine: [],
    hosts: ['machine'],
    callers: ['machine'],
    config: ['machine', 'hosts'],
  },
  claude: { driver: [], transcript: ['driver'] },
  kernel: {
    journal: [],
    turn: [],
    session: ['turn'],
    pool: ['session'],
    discovery: ['session'],
    recover: ['turn', 'session', 'pool'],
    deliver: ['turn', 'session', 'pool', 'recover'],
    queue: ['turn', 'session', 'pool', 'recover', 'deliver'],
    accept: ['turn', 'session', 'pool', 'recover', 'deliver', 'queue'],
    rebuild: ['turn', 'session', 'accept'],
    call: ['turn', 'session', 'pool', 'recover', 'accept'],
  },
  features: {
    accounts: [],
    audit: [],
    budgets: [],
    configuration: ['audit'],
    inbox: [],
    late: [],
    outbox: [],
    insight: ['late'],
    reports: [],
    roles: [],
    search: [],
    'take-over': [],
    tokens: [],
    transcripts: [],
    typed: [],
    events: [],
    permission: ['audit'],
    live: ['late'],
    attachments: ['permission'],
    conversations: ['insight', 'reports', 'search'],
    operator: ['conversations'],
    traces: ['insight', 'live', 'permission', 'reports'],
    cluster: ['accounts', 'permission', 'traces'],
    teams: ['cluster'],
    schedules: ['live', 'typed'],
    messages: [
      'cluster',
      'accounts',
      'insight',
      'late',
      'reports',
      'permission',
      'live',
      'attachments',
      'conversations',
      'traces',
      'schedules',
    ],
    retry: ['messages'],
    agents: ['late', 'messages'],
    channels: ['attachments', 'permission', 'reports', 'search'],
    triggers: ['inbox'],
  },
  views: { usage: [], switchboard: [], inbox: ['switchboard'], health: ['inbox'] },
  adapters: { mcp: [], http: ['mcp'], client: [] },
  app: { demo: [], probe: ['demo'], doctor: ['probe'], daemon: [], cli: ['demo'] },
}

/** Folders that may import less of the floors below: these folders and no others. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  store: ['lib', 'protocol'],
  contracts: ['lib', 'protocol', 'operation'],
  // An adapter translates and decides nothing: what it needs of the kernel it asks the operations for.
  mcp: ['lib', 'protocol', 'operation', 'contracts', 'call'],
  http: ['lib', 'protocol', 'operation', 'contracts', 'config', 'metrics', 'call'],
  // These run in other processes than the daemon: they load quickly and know what crosses, not how it is made.
  client: ['lib', 'protocol', 'operation', 'contracts'],
  // It makes a store with a week in it before a daemon opens that store.
  demo: ['lib', 'protocol', 'operation', 'contracts', 'client', 'store'],
  // Of `store` and `hosts` only files that load nothing else.
  cli: ['lib', 'protocol', 'operation', 'contracts', 'config', 'client', 'store', 'hosts'],
}

/** A folder, and its floor. */
interface Place {
  readonly floor: number
  readonly folder: string
}

const contract = /^src\/(?:(?:features|views)\/[^/]+\/contract(?:\.ts$|\/)|features\/contracts\.ts$)/
const ofApp = /^src\/(?:features|views)\/[^/]+\/(commands|checks)\//
const appFolders: Readonly<Record<string, string>> = { commands: 'cli', checks: 'doctor' }

/** The floor and the folder of a file. Some parts of a feature are on other floors than the feature. */
function namesOf(path: string): readonly [string, string] | undefined {
  const [source, floor, folder, file] = path.split('/')
  if (source !== 'src') return undefined
  if (contract.test(path)) return ['contracts', 'contracts']
  const part = ofApp.exec(path)?.[1]
  if (part !== undefined) return ['app', appFolders[part]!]
  return file === undefined ? undefined : [floor!, folder!]
}

/** `src/kernel/pool/evict.ts` is in `pool`; `src/main.ts` and what is outside of src/ are in no folder. */
export function folderOf(path: string): string | undefined {
  return namesOf(path)?.[1]
}

function placeIn(table: Floors, path: string): Place | undefined {
  const [name = '', folder = ''] = namesOf(path) ?? []
  const floor = Object.keys(table).indexOf(name)
  return table[name]?.[folder] === undefined ? undefined : { floor, folder }
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

/** What the kernel still knows of Claude Code, beside the interfaces in base/agent: each name once, after its file. */
export function claudeInKernel(files: readonly SourceFile[]): readonly string[] {
  const names = files.filter((file) => file.path.startsWith('src/kernel/') && !isTest(file)).flatMap(namesImported)
  return [...new Set(names.filter((name) => name.startsWith('src/claude/')))].sort()
}

/** `folders` as `readFolders` gives them: everything in src/ and on its floors, folders with a slash at the end. */
export function tableBreaches(folders: readonly string[], table = floors): readonly string[] {
  const known = new Set([
    'main.ts',
    'program.ts',
    'features/contracts.ts',
    ...Object.entries(table).flatMap(([floor, inside]) => [
      `${floor}/`,
      ...Object.keys(inside).map((folder) => `${floor}/${folder}/`),
    ]),
  ])
  return folders.filter((entry) => !known.has(entry)).map((entry) => `src/${entry} is not in the table of floors`)
}

/** On its own floor a folder may name only earlier folders, so the table has no circle. */
export function tableOrderBreaches(table = floors): readonly string[] {
  return Object.values(table).flatMap((folders) =>
    Object.entries(folders).flatMap(([folder, beside], index) =>
      beside
        .filter((name) => !Object.keys(folders).slice(0, index).includes(name))
        .map((name) => `${folder} names ${name}, which is not before it`),
    ),
  )
}

import { importsOf } from './imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

const domain = [
  'store',
  'search',
  'machine',
  'claude',
  'turn',
  'transcript',
  'session',
  'permission',
  'pool',
  'orchestrator',
]
const daemon = [
  'lib',
  'protocol',
  'rule',
  'config',
  ...domain,
  'callers',
  'metrics',
  'forward',
  'discovery',
  'rebuild',
  'operations',
  'mcp',
  'http',
]

/** Who may import whom: for each folder of src/, and main.ts, the folders it may import besides itself. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protocol: [],
  rule: ['lib'],
  machine: ['lib', 'protocol'],
  config: ['lib', 'protocol', 'rule', 'machine'],
  store: ['lib', 'protocol'],
  search: ['lib', 'protocol', 'store'],
  callers: ['lib', 'machine'],
  metrics: ['lib', 'protocol'],
  claude: ['lib', 'protocol', 'config', 'machine'],
  turn: ['lib', 'protocol', 'claude'],
  transcript: ['lib', 'protocol', 'claude'],
  permission: ['lib', 'protocol', 'rule', 'config', 'store', 'claude'],
  forward: ['lib', 'protocol', 'config'],
  session: ['lib', 'protocol', 'store', 'turn'],
  pool: ['lib', 'protocol', 'config', 'store', 'machine', 'claude', 'turn', 'session'],
  discovery: ['lib', 'protocol', 'config', 'store', 'machine', 'claude', 'transcript', 'session'],
  orchestrator: ['lib', 'protocol', 'config', ...domain.slice(0, domain.indexOf('orchestrator'))],
  rebuild: ['lib', 'protocol', 'store', 'machine', 'claude', 'transcript', 'orchestrator'],
  agents: ['lib', 'protocol', 'config', 'machine'],
  operations: ['lib', 'protocol', 'config', ...domain, 'agents', 'metrics'],
  mcp: ['lib', 'protocol', 'operations'],
  http: ['lib', 'protocol', 'config', 'forward', 'operations', 'mcp', 'metrics'],
  daemon,
  client: ['lib', 'protocol'],
  demo: ['lib', 'protocol', 'client'],
  probe: ['lib', 'protocol', 'claude', 'machine', 'demo'],
  doctor: ['lib', 'protocol', 'config', 'store', 'machine', 'callers', 'claude', 'pool', 'http', 'probe'],
  cli: ['lib', 'protocol', 'config', 'client', 'demo'],
  'main.ts': ['cli', 'daemon', 'doctor'],
}

/** `src/pool/evict.ts` is in `pool`, `src/main.ts` is `main.ts`; a path outside src/ has no folder. */
export function folderOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.split('/')[1] : undefined
}

/** A test may also import what helps testing, outside src/; what is shipped may not. */
export function importBreaches(files: readonly SourceFile[], table = importTable): readonly string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path)
    if (folder === undefined) return []
    const allowed = table[folder] ?? []
    return importsOf(file).flatMap((imported) => {
      const target = folderOf(imported)
      if (target === undefined) {
        return isTest(file) ? [] : [`${file.path} imports ${imported}; what is shipped stays inside src/`]
      }
      if (target === folder || allowed.includes(target)) return []
      const list = allowed.length === 0 ? 'nothing but itself' : `only ${allowed.join(', ')}`
      return [`${file.path} imports ${imported}; ${folder} may import ${list}`]
    })
  })
}

/** `entries` as `readTopLevel` gives them, folders with a slash at the end. */
export function tableBreaches(entries: readonly string[], table = importTable): readonly string[] {
  const unknown = entries.filter((entry) => table[entry.replace(/\/$/, '')] === undefined)
  return unknown.map((entry) => `src/${entry} has no row in the import table`)
}

/** A row may name only folders that stand above it: then the table itself has no ring. */
export function tableOrderBreaches(table = importTable): readonly string[] {
  const rows = Object.keys(table)
  return Object.entries(table).flatMap(([row, allowed], index) =>
    allowed
      .filter((name) => !rows.slice(0, index).includes(name))
      .map((name) => `${row} names ${name}, which is not above it`),
  )
}

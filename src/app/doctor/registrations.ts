import { homedir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { type ClaudeProgram, claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import { expandTilde } from '../../platform/config/home.ts'
import { isInside } from '../../platform/config/is-inside.ts'
import { findExecutable } from '../../platform/machine/find-executable.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn, partOf } from './json-in.ts'
import { realPath } from './real-path.ts'

const check = 'registration'
/** This Iris: a checkout, or the package. */
const ownRoot = realPath(fileURLToPath(new URL('../../../', import.meta.url)))

/** An MCP server that is registered with Claude Code. */
interface Registration {
  readonly name: string
  readonly server: Readonly<Record<string, unknown>>
  /** For people: the file, and the project if the registration is for a single project. */
  readonly where: string
  readonly remove: string
}

/**
 * Checks where Iris is registered with Claude Code, whether each registration is for this Iris, and whether there is
 * only one.
 */
export async function registrations(context: CheckContext): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const seen = new Set<string>()
  const ours: Registration[] = []
  for (const program of await claudePrograms(context.config, context.env)) {
    if (seen.has(program.configDirectory)) continue
    seen.add(program.configDirectory)
    const found = registrationsOf(program, context).filter(({ server }) => leadsToIris(server))
    for (const registration of found) {
      const why = await strangeness(registration.server, program, context)
      if (why === undefined) ours.push(registration)
      else
        findings.push({
          check,
          state: 'warn',
          detail: `another Iris: ${registration.name} in ${registration.where} ${why}`,
          remedy: registration.remove,
        })
    }
    findings.push(...twice(program, found))
  }
  if (findings.length > 0) return findings
  const places = ours.map(({ where }) => where).join(', ')
  return [
    {
      check,
      state: 'ok',
      detail:
        places === ''
          ? 'no other Iris is registered with Claude Code'
          : `this Iris is registered with Claude Code in ${places}`,
    },
  ]
}

function registrationsOf({ env }: ClaudeProgram, { config }: CheckContext): readonly Registration[] {
  const file = claudeFile(env)
  const person = jsonIn(file)
  const projects = partOf(person, 'projects')
  const teams = [...config.teams.values()]
  return [
    ...serversIn(person, file, (name) => `claude mcp remove --scope user ${name}`),
    ...Object.keys(projects).flatMap((directory) =>
      serversIn(
        projects[directory],
        `${file} (project ${directory})`,
        (name) => `cd ${directory} && claude mcp remove --scope local ${name}`,
      ),
    ),
    ...teams.flatMap(({ realPath: directory }) => {
      const own = join(directory, '.mcp.json')
      return serversIn(jsonIn(own), own, (name) => `cd ${directory} && claude mcp remove --scope project ${name}`)
    }),
  ]
}

function serversIn(settings: unknown, where: string, remove: (name: string) => string): readonly Registration[] {
  return Object.entries(partOf(settings, 'mcpServers')).flatMap(([name, server]) =>
    isRecord(server) ? [{ name, server, where, remove: remove(name) }] : [],
  )
}

/** Whether it is `iris mcp`, however it is started, or `/mcp` on a port of this machine. */
function leadsToIris(server: Readonly<Record<string, unknown>>): boolean {
  if (typeof server['url'] === 'string') return isOwnEndpoint(server['url'])
  const words = commandOf(server)
  return words.includes('mcp') && words.some(isIrisProgram)
}

function isOwnEndpoint(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, pathname, port } = new URL(url)
  return ['127.0.0.1', 'localhost'].includes(hostname) && pathname === '/mcp' && port !== ''
}

function isIrisProgram(word: string): boolean {
  return /^iris(-mcp)?$/.test(basename(word)) || /\/(src\/main\.ts|dist\/main\.js)$/.test(word)
}

function commandOf({ command, args }: Readonly<Record<string, unknown>>): readonly string[] {
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
}

/** Why the registration is not for this Iris; undefined when it is. */
async function strangeness(
  server: Readonly<Record<string, unknown>>,
  { env }: ClaudeProgram,
  { home, env: own, config, daemon }: CheckContext,
): Promise<string | undefined> {
  if (typeof server['url'] === 'string') {
    const port = Number(new URL(server['url']).port)
    const wanted = daemon?.port ?? config.settings.httpPort
    return port === wanted ? undefined : `leads to port ${port}, and not to ${wanted}`
  }
  const named = partOf(server, 'env')['IRIS_HOME']
  const itsHome = typeof named === 'string' ? expandTilde(named, own) : join(env['HOME'] ?? homedir(), '.iris')
  if (realPath(itsHome) !== realPath(home)) return `has its home in ${itsHome}, and not in ${home}`
  const program = commandOf(server).find(isIrisProgram)!
  const path = program.includes('/') ? program : await findExecutable(program, own['PATH'] ?? '')
  if (path === undefined)
    return `starts ${program}, which is not in PATH (${(own['PATH'] ?? '').split(delimiter).length} directories)`
  return isInside(ownRoot, realPath(path)) ? undefined : `starts ${path}, and not ${ownRoot}`
}

/** The plugin has its own server: with a registration too, each session has the tools twice. */
function twice({ configDirectory }: ClaudeProgram, found: readonly Registration[]): readonly Finding[] {
  const plugins = partOf(jsonIn(join(configDirectory, 'settings.json')), 'enabledPlugins')
  const plugin = Object.keys(plugins).find((name) => name.startsWith('iris@') && plugins[name] === true)
  const [other] = found
  if (plugin === undefined || other === undefined) return []
  const detail = `the plugin ${plugin} and ${other.name} in ${other.where} both provide the tools, so each session has them twice`
  return [{ check, state: 'warn', detail, remedy: other.remove }]
}

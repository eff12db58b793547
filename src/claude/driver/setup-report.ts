import { isSystem, type Line } from '../../base/agent/line.ts'
import type { MissingServer } from '../../base/agent/run-result.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { cutLine } from '../../base/lib/plain-line.ts'
import { Subject } from '../../base/lib/subject.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'

type Request = (subtype: string, fields: Readonly<Record<string, unknown>>, timeoutMs: number) => Promise<unknown>

/** The CLI answers in a few milliseconds, even during a model call. */
const patienceMs = 9000
/** The most problems to name, and the most characters of each. */
const maxProblems = 20
const maxProblem = 400

/**
 * The process's report of project files that it ignores and servers it could not start. It comes with each message,
 * because the process does not check earlier.
 */
export class SetupReport {
  readonly #request: Request
  readonly #reports = new Subject<readonly SetupProblem[]>()
  readonly #missing = new Subject<readonly MissingServer[]>()
  /** Emits the problems each time the process reports them; an empty list if there are none. */
  readonly reports$ = this.#reports.asObservable()
  /** Emits the servers that the agent does not have, immediately with each message. */
  readonly missing$ = this.#missing.asObservable()

  constructor(request: Request) {
    this.#request = request
  }

  take(line: Line): void {
    if (!isSystem(line, 'init')) return
    const missing = missingServers(line)
    this.#missing.next(missing)
    // Nobody waits for the answers: they come during the model call.
    void this.#ask(line, missing).then((problems) => this.#reports.next(boundedProblems(problems)))
  }

  async #ask(line: Line, missing: readonly MissingServer[]): Promise<readonly SetupProblem[]> {
    const ask = (subtype: string) => this.#request(subtype, {}, patienceMs).catch(() => undefined)
    const [settings, servers] = await Promise.all([
      ask('get_settings'),
      missing.length > 0 ? ask('mcp_status') : undefined,
    ])
    return [
      ...ignoredFiles(settings),
      ...missing.map((server) => ofServer(server, servers)),
      ...ofPlugins(line, settings),
    ]
  }
}

/**
 * The servers that `init` lists as failed or without a login. A server that is still starting is not a problem: the CLI
 * gives its tools to the model later.
 */
export function missingServers(line: Line): readonly MissingServer[] {
  return itemsOf(line, 'mcp_servers').flatMap(({ name, status, source }) => {
    if (typeof name !== 'string' || (status !== 'failed' && status !== 'needs-auth')) return []
    // Servers of the person's claude.ai account are not part of the project, and most people use few of them.
    const isOfAccount = source === 'claudeai' || name.startsWith('claude.ai ')
    return status === 'needs-auth' && isOfAccount ? [] : [{ name, needsLogin: status === 'needs-auth' }]
  })
}

/**
 * The files that, according to `get_settings`, the CLI cannot use. One wrong value makes it ignore the whole file;
 * `path` only says which value.
 */
export function ignoredFiles(answer: unknown): readonly SetupProblem[] {
  return itemsOf(answer, 'errors').flatMap(({ file, path, message }) => {
    if (typeof file !== 'string') return []
    const where = typeof path === 'string' && path !== '' ? `, at ${path}` : ''
    return [{ kind: 'settings', text: `Claude Code ignores ${file} (${String(message)}${where})` }]
  })
}

function ofServer({ name, needsLogin }: MissingServer, status: unknown): SetupProblem {
  if (needsLogin) return { kind: 'server', text: `The MCP server ${name} needs a login.` }
  const why = itemsOf(status, 'mcpServers').find((server) => server['name'] === name)?.['error']
  const cause = typeof why === 'string' && why !== '' ? `: ${why}` : '.'
  return { kind: 'server', text: `The MCP server ${name} did not start${cause}` }
}

/** The CLI names plugins that it loaded with errors. It says nothing about plugins that are not installed. */
function ofPlugins(line: Line, settings: unknown): readonly SetupProblem[] {
  const failed = itemsOf(line, 'plugin_errors')
  const known = new Set([
    ...itemsOf(line, 'plugins').map(({ source }) => source),
    ...failed.map(({ plugin }) => plugin),
  ])
  const texts = failed.map(({ plugin, message }) => `The plugin ${String(plugin)} has failed: ${String(message)}`)
  return [
    ...texts.map((text) => ({ kind: 'plugin', text }) as const),
    ...enabledPlugins(settings)
      .filter((name) => !known.has(name))
      .map(absentPlugin),
  ]
}

/** The plugins that the effective settings enable, as `name@marketplace`, from an answer to `get_settings`. */
export function enabledPlugins(answer: unknown): readonly string[] {
  return Object.entries(effective(answer, 'enabledPlugins')).flatMap(([name, isOn]) => (isOn === true ? [name] : []))
}

/** The marketplaces that the effective settings declare. */
export function declaredMarketplaces(answer: unknown): readonly string[] {
  return Object.keys(effective(answer, 'extraKnownMarketplaces'))
}

export function absentPlugin(name: string): SetupProblem {
  return { kind: 'plugin', text: `The plugin ${name} is enabled in the settings, and is not installed.` }
}

function effective(answer: unknown, key: string): Readonly<Record<string, unknown>> {
  const settings = isRecord(answer) && isRecord(answer['effective']) ? answer['effective'] : {}
  return isRecord(settings[key]) ? settings[key] : {}
}

function itemsOf(value: unknown, key: string): readonly Readonly<Record<string, unknown>>[] {
  const items = isRecord(value) ? value[key] : undefined
  return Array.isArray(items) ? items.filter(isRecord) : []
}

/** The problems as kept for a team: limited in number, each cut to one line. */
export function boundedProblems(problems: readonly SetupProblem[]): readonly SetupProblem[] {
  return problems.slice(0, maxProblems).map(({ kind, text }) => ({ kind, text: cutLine(text, maxProblem) }))
}

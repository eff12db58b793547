import { spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ClauseName } from '../../src/app/probe/clauses.ts'
import { holds, type Line } from '../../src/app/probe/cli.ts'

interface Pipe {
  readonly toCli: (line: unknown) => void
  readonly toIris: (line: unknown) => void
}

type Change = (line: Line, pipe: Pipe) => Line | undefined
type Variables = Record<string, string | undefined>

/** The manipulation that makes a real CLI violate one clause. A line that becomes undefined is dropped. */
interface Fault {
  readonly args?: (args: readonly string[]) => readonly string[]
  readonly env?: (env: Variables) => Variables
  /** From Iris to the CLI. */
  readonly in?: Change
  /** From the CLI to Iris. */
  readonly out?: Change
  /** Exit codes: on SIGTERM, and at the end of stdin. */
  readonly onTerm?: number
  readonly onEnd?: number
}

const home = process.env['HOME'] ?? '/'

/** Lines that hold `part` are changed, or dropped. */
function where(part: object, change: (line: Line) => Line | undefined = () => undefined): Change {
  return (line) => (holds(line, part) ? change(line) : line)
}

/** With another value at that place, or none. */
function edited(place: string, value?: unknown): (line: Line) => Line {
  return (line) => {
    const copy = structuredClone(line)
    const keys = place.split('.')
    const inner = keys.slice(0, -1).reduce((at, key) => at[key]!, copy)
    if (value === undefined) Reflect.deleteProperty(inner, keys.at(-1)!)
    else Reflect.set(inner, keys.at(-1)!, value)
    return copy
  }
}

/** A request that the other side never sees. */
function answered(subtype: string, response: object, by: 'toIris' | 'toCli'): Change {
  return (line, pipe) => {
    if (!holds(line, { type: 'control_request', request: { subtype } })) return line
    pipe[by]({ type: 'control_response', response: { ...response, request_id: line['request_id'] } })
    return undefined
  }
}

function withoutFlag(flag: string): Fault {
  return { args: (args) => (args.includes(flag) ? args.toSpliced(args.indexOf(flag), 2) : args) }
}

function withoutVariables(...names: string[]): Fault {
  return { env: (env) => Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name))) }
}

/** One flag for another where it fits, and the id that follows it. */
function swapped(from: string, to: string, fits: (id: string) => boolean, other = (id: string) => id): Fault {
  return {
    args(args) {
      const at = args.indexOf(from)
      const id = args[at + 1] ?? ''
      return at < 0 || !fits(id) ? args : args.with(at, to).with(at + 1, other(id))
    },
  }
}

function hasTranscript(id: string): boolean {
  return globSync(`.claude/projects/*/${id}.jsonl`, { cwd: home }).length > 0
}

/** Begins afresh where it should resume what it has created itself, or where it has not. */
function forgetting(isOwn: boolean): Fault {
  const madeFile = (id: string): string => join(home, `made-${id}`)
  const fits = (id: string): boolean => hasTranscript(id) && existsSync(madeFile(id)) === isOwn
  const { args: swap } = swapped('--resume', '--session-id', fits, () => crypto.randomUUID())
  return {
    args(args) {
      const made = args.indexOf('--session-id')
      if (made >= 0) writeFileSync(madeFile(args[made + 1] ?? ''), '')
      return swap!(args)
    },
  }
}

function repeating(): Fault {
  const seen = new Set<string>()
  const others = new Map<string, string>()
  return {
    in: where({ type: 'user' }, (line) => {
      const uuid = String(line['uuid'])
      if (!seen.has(uuid)) {
        seen.add(uuid)
        return line
      }
      const other = crypto.randomUUID()
      others.set(other, uuid)
      return edited('uuid', other)(line)
    }),
    out: (line) => {
      const uuid = others.get(String(line['uuid']))
      return uuid === undefined ? line : edited('uuid', uuid)(line)
    },
  }
}

function allowing(): Fault {
  let updatedInput: Line | undefined
  return {
    out: where({ request: { subtype: 'can_use_tool' } }, (line) => {
      updatedInput = line['request']?.['input']
      return line
    }),
    in: where({ response: { response: { behavior: 'deny' } } }, (line) =>
      edited('response.response', { behavior: 'allow', updatedInput })(line),
    ),
  }
}

/** Where the directory of its registry should be, there is a file. */
function withoutRegistry(env: Variables): Variables {
  const directory = join(home, '.claude')
  mkdirSync(directory, { recursive: true })
  if (!existsSync(join(directory, 'sessions'))) writeFileSync(join(directory, 'sessions'), '')
  return env
}

/** Its MCP servers do not know in whose project they are. */
function withoutProject(args: readonly string[]): readonly string[] {
  const file = args[args.indexOf('--mcp-config') + 1] ?? ''
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { probe: { args: string[] } } }
  const probe = { command: '/usr/bin/env', args: ['-u', 'CLAUDE_PROJECT_DIR', '/bin/sh', ...mcpServers.probe.args] }
  writeFileSync(file, JSON.stringify({ mcpServers: { probe } }))
  return args
}

const isEcho = { type: 'user', isReplay: true }
const result = { type: 'result' }
const goesOn = { subtype: 'success', response: { continue: true } }
const denied = { response: { response: { hookSpecificOutput: { permissionDecision: 'deny' } } } }

const changedInput = { response: { response: { hookSpecificOutput: { updatedInput: { run_in_background: false } } } } }
const askedFor = { response: { response: { hookSpecificOutput: { permissionDecision: 'ask' } } } }

const faults: Readonly<Record<ClauseName, Fault>> = {
  'start.ready': { args: (args) => [...args, '--no-such-option'] },
  'start.prompt': withoutFlag('--append-system-prompt'),
  'tools.pipe': {
    out: where({ request: { message: { method: 'tools/call' } } }, edited('request.message.params._meta')),
  },
  'tools.fence': { out: answered('hook_callback', goesOn, 'toCli') },
  'tools.ran': { out: where({ request: { callback_id: 'post' } }, edited('request.input.tool_input.command', 'ls')) },
  'tools.closed': withoutFlag('--disallowedTools'),
  // A repetition is echoed without a time.
  'message.echo': { out: where(isEcho, (line) => ('timestamp' in line ? undefined : line)) },
  'message.result': { out: where(result, edited('total_cost_usd')) },
  'message.session': { out: where({ type: 'assistant' }, edited('session_id', 'of somebody else')) },
  'message.partial': { out: where({ type: 'stream_event' }) },
  'message.once': repeating(),
  'message.inert': withoutVariables('CLAUDE_CODE_DISABLE_FILE_MENTIONS', 'CLAUDE_CODE_DISABLE_ATTACHMENTS'),
  'message.failure': { out: where(result, edited('is_error', false)) },
  'session.file': { env: (env) => ({ ...env, CLAUDE_CONFIG_DIR: join(home, 'elsewhere') }) },
  'session.taken': swapped('--session-id', '--resume', hasTranscript),
  'session.unknown': swapped('--resume', '--session-id', (id) => !hasTranscript(id)),
  'session.resume': forgetting(true),
  'session.copy': forgetting(false),
  'session.kept': withoutFlag('--settings'),
  'session.registry': { env: withoutRegistry },
  'permission.question': { out: where({ request: { subtype: 'can_use_tool' } }, edited('request.tool_use_id')) },
  'permission.denial': allowing(),
  'permission.rule': { in: where(denied, edited('response.response', { continue: true })) },
  'permission.handed': { in: answered('apply_flag_settings', { subtype: 'success', response: {} }, 'toIris') },
  'permission.refused': {
    in: where(
      { request: { settings: { permissions: { deny: { 0: 'Bash(touch *)' } } } } },
      edited('request.settings.permissions.deny', []),
    ),
  },
  'permission.asked': { in: where(askedFor, edited('response.response', { continue: true })) },
  'permission.http': withoutFlag('--permission-prompt-tool'),
  'control.alive': { in: answered('get_context_usage', { subtype: 'error', error: 'Unknown request' }, 'toIris') },
  'control.interrupt': { out: where(result, edited('is_error', false)) },
  'control.withdraw': {
    in: answered('cancel_async_message', { subtype: 'success', response: { cancelled: false } }, 'toIris'),
  },
  'control.servers': { in: answered('mcp_status', { subtype: 'success', response: { mcpServers: [] } }, 'toIris') },
  'turns.unsolicited': { out: where(result, edited('origin')) },
  'subagents.foreground': { in: where(changedInput, edited('response.response', { continue: true })) },
  'subagents.announced': { out: where({ subtype: 'task_started' }, edited('task_type', 'local_bash')) },
  'subagents.idle': { out: where({ subtype: 'session_state_changed', state: 'idle' }) },
  'turns.compact': { out: where({ subtype: 'compact_boundary' }) },
  'bridge.project': { args: withoutProject },
  'end.idle': { onEnd: 3 },
  'end.busy': { onTerm: 0 },
  'end.tag': withoutVariables('IRIS_PROCESS'),
}

/** A program in that directory that behaves like the real CLI except for one clause. */
export function faultyClaude(directory: string, clause: ClauseName, claude: string): string {
  const path = join(directory, `claude-${clause}`)
  const module = JSON.stringify(fileURLToPath(import.meta.url))
  const words = `${JSON.stringify(clause)}, ${JSON.stringify(claude)}`
  writeFileSync(path, `#!${process.execPath}\nimport(${module}).then(({ beFaulty }) => beFaulty(${words}))\n`)
  chmodSync(path, 0o755)
  return path
}

/**
 * Runs the real CLI with everything that passes between it and Iris in reach of the fault.
 * @public by the program that `faultyClaude` writes
 */
export function beFaulty(clause: ClauseName, claude: string): void {
  const { args = (same) => same, env = (same) => same, onTerm, onEnd, ...pass } = faults[clause]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', claude, ...args(process.argv.slice(2))], {
    env: env(process.env),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const pipe: Pipe = {
    toCli: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    toIris: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
  }
  const passOn = (change: Change | undefined, on: (line: Line) => void) => (text: string) => {
    // The answer to `--version`.
    if (!text.startsWith('{')) return void process.stdout.write(`${text}\n`)
    const line: Line = JSON.parse(text)
    const changed = change === undefined ? line : change(line, pipe)
    if (changed !== undefined) on(changed)
  }
  child.stdin.on('error', () => {})
  createInterface(process.stdin)
    .on('line', passOn(pass.in, pipe.toCli))
    .on('close', () => (onEnd === undefined ? child.stdin.end() : process.exit(onEnd)))
  createInterface(child.stdout).on('line', passOn(pass.out, pipe.toIris))
  process.on('SIGTERM', () => (onTerm === undefined ? child.kill('SIGTERM') : process.exit(onTerm)))
  child.on('close', (code) => process.exit(code ?? 1))
}

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ClauseName } from '../../src/probe/clauses.ts'

/** A line on the pipe, unchecked. */
// biome-ignore lint/suspicious/noExplicitAny: faults reach deep into what the CLI says
type Line = any

interface Pipe {
  readonly toCli: (line: Line) => void
  readonly toIris: (line: Line) => void
}

/** What is done to a real CLI so that it breaks one clause. A line that becomes undefined is not passed on. */
export interface Fault {
  readonly args?: (args: string[]) => string[]
  readonly env?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv
  /** From Iris to the CLI. */
  readonly in?: (line: Line, pipe: Pipe) => Line
  /** From the CLI to Iris. */
  readonly out?: (line: Line, pipe: Pipe) => Line
  readonly onTerm?: number
  readonly onEnd?: number
}

const without = (flag: string) => (args: string[]) => {
  const at = args.indexOf(flag)
  return at < 0 ? args : args.toSpliced(at, 2)
}
const hasTranscript = (id: string) =>
  globSync(`.claude/projects/*/${id}.jsonl`, { cwd: process.env['HOME'] ?? '/' }).length > 0
const madeFile = (id: string) => join(process.env['HOME'] ?? '/', `made-${id}`)
const swapped =
  (from: string, to: string, when: (id: string) => boolean, id = (own: string) => own) =>
  (args: string[]) => {
    const at = args.indexOf(from)
    return at < 0 || !when(args[at + 1]!) ? args : args.with(at, to).with(at + 1, id(args[at + 1]!))
  }
/** Notes which sessions it has created itself. */
const resumesAfresh = (isOwn: boolean) => (args: string[]) => {
  const made = args.indexOf('--session-id')
  if (made >= 0) writeFileSync(madeFile(args[made + 1]!), '')
  const resumed = (id: string): boolean => hasTranscript(id) && existsSync(madeFile(id)) === isOwn
  return swapped('--resume', '--session-id', resumed, () => crypto.randomUUID())(args)
}
const answers =
  (subtype: string, response: object) =>
  (line: Line, { toIris }: Pipe) => {
    if (line.request?.subtype !== subtype) return line
    toIris({ type: 'control_response', response: { ...response, request_id: line.request_id } })
  }
const changed = (fits: (line: Line) => boolean, change: (line: Line) => Line) => (line: Line) =>
  fits(line) ? change(line) : line
const isResult = (line: Line): boolean => line.type === 'result'

function secondTimeUnderAnother(): Pick<Fault, 'in' | 'out'> {
  const seen = new Set<string>()
  const others = new Map<string, string>()
  return {
    in: (line) => {
      if (line.type !== 'user') return line
      if (!seen.has(line.uuid)) {
        seen.add(line.uuid)
        return line
      }
      const other = crypto.randomUUID()
      others.set(other, line.uuid)
      return { ...line, uuid: other }
    },
    out: (line) => (others.has(line.uuid) ? { ...line, uuid: others.get(line.uuid) } : line),
  }
}

function denialsAllowed(): Pick<Fault, 'in' | 'out'> {
  let input: unknown
  return {
    out: (line) => {
      input = line.request?.subtype === 'can_use_tool' ? line.request.input : input
      return line
    },
    in: changed(
      (line) => line.response?.response?.behavior === 'deny',
      (line) => ({ ...line, response: { ...line.response, response: { behavior: 'allow', updatedInput: input } } }),
    ),
  }
}

export const faults: Readonly<Record<ClauseName, Fault>> = {
  'start.ready': { args: (args) => [...args, '--no-such-option'] },
  'start.prompt': { args: without('--append-system-prompt') },
  'tools.pipe': {
    out: changed(
      ({ request }) => request?.message?.method === 'tools/call',
      (line) => {
        const { _meta, ...params } = line.request.message.params
        return { ...line, request: { ...line.request, message: { ...line.request.message, params } } }
      },
    ),
  },
  'tools.fence': {
    out: (line, { toCli }) => {
      if (line.request?.subtype !== 'hook_callback') return line
      toCli({
        type: 'control_response',
        response: { subtype: 'success', request_id: line.request_id, response: { continue: true } },
      })
    },
  },
  'tools.closed': { args: without('--disallowedTools') },
  'message.echo': {
    out: changed(
      ({ isReplay, timestamp }) => isReplay && timestamp,
      () => undefined,
    ),
  },
  'message.result': { out: changed(isResult, ({ total_cost_usd: _, ...line }) => line) },
  'message.session': {
    out: changed(
      ({ type }) => type === 'assistant',
      (line) => ({ ...line, session_id: 'of somebody else' }),
    ),
  },
  'message.partial': {
    out: changed(
      ({ type }) => type === 'stream_event',
      () => undefined,
    ),
  },
  'message.once': secondTimeUnderAnother(),
  'message.inert': {
    env: ({ CLAUDE_CODE_DISABLE_FILE_MENTIONS: _, CLAUDE_CODE_DISABLE_ATTACHMENTS: __, ...env }) => env,
  },
  'message.failure': { out: changed(isResult, (line) => ({ ...line, is_error: false })) },
  'session.file': { env: (env) => ({ ...env, CLAUDE_CONFIG_DIR: join(env['HOME'] ?? '/', 'elsewhere') }) },
  'session.taken': { args: swapped('--session-id', '--resume', hasTranscript) },
  'session.unknown': { args: swapped('--resume', '--session-id', (id) => !hasTranscript(id)) },
  'session.resume': { args: resumesAfresh(true) },
  'session.copy': { args: resumesAfresh(false) },
  'session.kept': { args: without('--settings') },
  'session.registry': {
    env: (env) => {
      mkdirSync(join(env['HOME'] ?? '/', '.claude'), { recursive: true })
      if (!existsSync(join(env['HOME'] ?? '/', '.claude/sessions')))
        writeFileSync(join(env['HOME'] ?? '/', '.claude/sessions'), '')
      return env
    },
  },
  'permission.question': {
    out: changed(
      ({ request }) => request?.subtype === 'can_use_tool',
      (line) => {
        const { tool_use_id: _, ...request } = line.request
        return { ...line, request }
      },
    ),
  },
  'permission.denial': denialsAllowed(),
  'permission.rule': {
    in: changed(
      ({ response }) => response?.response?.hookSpecificOutput,
      (line) => ({
        ...line,
        response: { ...line.response, response: { continue: true } },
      }),
    ),
  },
  'control.alive': { in: answers('get_context_usage', { subtype: 'error', error: 'Unknown request' }) },
  'control.interrupt': { out: changed(isResult, (line) => ({ ...line, is_error: false })) },
  'control.withdraw': { in: answers('cancel_async_message', { subtype: 'success', response: { cancelled: false } }) },
  'turns.unasked': { out: changed(isResult, ({ origin: _, ...line }) => line) },
  'turns.compact': {
    out: changed(
      ({ subtype }) => subtype === 'compact_boundary',
      () => undefined,
    ),
  },
  'end.idle': { onEnd: 3 },
  'end.busy': { onTerm: 0 },
  'end.mark': { env: ({ IRIS_PROCESS: _, ...env }) => env },
}

/** A program in that directory which is the real CLI but for one clause. */
export function faultyClaude(directory: string, clause: ClauseName, claude: string): string {
  const path = join(directory, `claude-${clause}`)
  const words = JSON.stringify([clause, claude])
  const module = JSON.stringify(fileURLToPath(import.meta.url))
  writeFileSync(path, `#!${process.execPath}\nimport(${module}).then(({ beFaulty }) => beFaulty(...${words}))\n`)
  chmodSync(path, 0o755)
  return path
}

/** Runs the real CLI with everything that passes between it and Iris in reach of the fault. */
export function beFaulty(clause: ClauseName, claude: string): void {
  const { args = (same) => same, env = (same) => same, onTerm, onEnd, ...pass } = faults[clause]
  const given = args(process.argv.slice(2))
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', claude, ...given], {
    env: env(process.env),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const pipe: Pipe = {
    toCli: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    toIris: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
  }
  const passed = (text: string, change: Fault['in'], on: (line: Line) => void): void => {
    const line = change === undefined ? JSON.parse(text) : change(JSON.parse(text), pipe)
    if (line !== undefined) on(line)
  }
  child.stdin.on('error', () => {})
  createInterface(process.stdin)
    .on('line', (text) => passed(text, pass.in, pipe.toCli))
    .on('close', () => {
      if (onEnd !== undefined) process.exit(onEnd)
      child.stdin.end()
    })
  createInterface(child.stdout).on('line', (text) => passed(text, pass.out, pipe.toIris))
  process.on('SIGTERM', () => {
    if (onTerm !== undefined) process.exit(onTerm)
    child.kill('SIGTERM')
  })
  child.on('close', (code) => process.exit(code ?? 1))
}

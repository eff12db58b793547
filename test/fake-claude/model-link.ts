import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { dirname, resolve } from 'node:path'
import type { ToolOutput } from './tool.ts'
import type { ModelEvent, ModelLink } from './world.ts'

/** An import of it also loads all that only `fetch` and WebSocket need, which takes a third of the start. */
const { request } = process.getBuiltinModule('node:http')

/** The scripted model of a test, and the tools that it may use on this machine. Loaded for a fake that follows one. */
export function modelLink(url: string, cwd: string): ModelLink {
  return {
    ask: (body, sessionId, signal) => ask(new URL('/v1/messages', url), body, sessionId, signal),
    async runTool(name, input, signal) {
      if (name === 'Bash') return runCommand(String(input['command']), cwd, signal)
      const path = resolve(cwd, String(input['file_path']))
      if (name === 'Read') return { content: numbered(readFileSync(path, 'utf8')), isError: false }
      if (name !== 'Write') throw new Error(`No such tool available: ${name}`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, String(input['content']))
      return { content: `File created successfully at: ${path}`, isError: false }
    },
  }
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index + 1}\t${line}`)
    .join('\n')
}

async function* ask(url: URL, body: unknown, sessionId: string, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const headers = { 'content-type': 'application/json', 'x-claude-code-session-id': sessionId }
  const { promise, resolve: heard, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(url, { method: 'POST', headers, signal, agent: false }, heard)
  sent.on('error', reject).end(JSON.stringify(body))
  const response = await promise
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (response.statusCode !== 200) continue
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length))
  }
  if (response.statusCode !== 200) yield { ...JSON.parse(text), status: response.statusCode ?? 500 }
}

async function runCommand(command: string, cwd: string, signal: AbortSignal): Promise<ToolOutput> {
  const child = spawn('/bin/bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stop = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  signal.addEventListener('abort', stop, { once: true })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const code = await new Promise<number>((ended) => child.once('close', (exitCode) => ended(exitCode ?? 143)))
  signal.removeEventListener('abort', stop)
  const output = said.trimEnd()
  if (code !== 0) return { content: `Exit code ${code}\n${output}`.trimEnd(), isError: true }
  return {
    content: output,
    isError: false,
    outcome: { stdout: output, stderr: '', interrupted: false, isImage: false },
  }
}

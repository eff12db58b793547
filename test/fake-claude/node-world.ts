import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from '../../src/base/lib/clock.ts'
import { agentFiles } from './agent-files.ts'
import { newUuid } from './new-uuid.ts'
import { oracleRecorder } from './oracle-file.ts'
import type { ModelLink, World } from './world.ts'
import { writeFully } from './write-fully.ts'

interface NodeWorldOptions {
  readonly sessionId: string
  /** Path of the oracle's file; absent: nothing is noted. */
  readonly oraclePath: string | undefined
  /** Of the scripted model, for a fake that follows one. */
  readonly modelUrl?: string | undefined
}

/** The machine as the fake sees it. */
export function nodeWorld({ sessionId, oraclePath, modelUrl }: NodeWorldOptions): World {
  const cwd = realpathSync(process.cwd())
  const transcriptPath = transcriptPathOf(cwd, sessionId)
  let stdoutIsOpen = true
  return {
    clock: systemClock,
    pid: process.pid,
    cwd,
    newId: newUuid,
    stdout: (bytes) => stdoutIsOpen && writeFully(1, bytes),
    stderr: (text) => writeFully(2, text),
    record: oraclePath === undefined ? () => {} : oracleRecorder(oraclePath, sessionId),
    transcript: {
      path: transcriptPath,
      read: () => (existsSync(transcriptPath) ? readFileSync(transcriptPath, 'utf8') : undefined),
      append: (text) => {
        mkdirSync(dirname(transcriptPath), { recursive: true })
        appendFileSync(transcriptPath, text)
      },
    },
    files: { exists: existsSync, append: (path, text) => appendFileSync(path, text), claim },
    self: {
      exit: (code) => process.exit(code),
      kill: (signal) => process.kill(process.pid, signal),
      hang: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
      closeStdout: () => {
        stdoutIsOpen = false
        closeSync(1)
      },
      ignoreStdin,
      startOrphan,
    },
    agents: () => agentFiles(cwd, configDirectory()),
    ...(modelUrl !== undefined && { model: modelAt(modelUrl, cwd) }),
  }
}

/** Loaded when it is asked: few fakes follow a model, and every one starts. */
function modelAt(url: string, cwd: string): ModelLink {
  const loaded = import('./model-link.ts').then(({ modelLink }) => modelLink(url, cwd))
  return {
    async *ask(...request) {
      yield* (await loaded).ask(...request)
    },
    runTool: async (...use) => (await loaded).runTool(...use),
  }
}

/** A paused input keeps no process alive, and the fake must stay to be seen not reading. */
function ignoreStdin(): void {
  process.stdin.pause()
  systemClock.after(Number.POSITIVE_INFINITY, () => {})
}

/** Loaded when needed: few fakes start anything, and every one starts. */
async function startOrphan(seconds: number): Promise<void> {
  const { spawn } = await import('node:child_process')
  spawn('sleep', [String(seconds)], { detached: true, stdio: 'ignore' }).unref()
}

function claim(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch {
    return false
  }
}

const configDirectory = (): string => process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude')

/** `<config>/projects/<slug>/<id>.jsonl`. Above 200 characters the real one cuts the slug and adds its own hash. */
function transcriptPathOf(cwd: string, sessionId: string): string {
  const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  return join(
    configDirectory(),
    'projects',
    slug.length > 200 ? `${slug.slice(0, 200)}-fake` : slug,
    `${sessionId}.jsonl`,
  )
}

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Script } from '../demo/script.ts'
import { type ScriptedModel, startScriptedModel } from '../demo/scripted-model.ts'
import { Cli, type CliOptions, type Line } from './cli.ts'
import { refuseElsewhere } from './loopback.ts'

export interface CliWorldOptions {
  /** The program, and the arguments of every process. */
  readonly command: readonly string[]
  /** The whole environment of a process, built from nothing. */
  readonly environment: (at: { readonly home: string; readonly modelUrl: string }) => Readonly<Record<string, string>>
  readonly script: Script
  readonly compaction?: Script | undefined
  readonly patienceMs?: number
  readonly signal?: AbortSignal
}

export interface StartOptions {
  /** Added after the arguments of every process. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly answer?: CliOptions['answer']
}

/** A home, a project and a scripted model for a CLI, in their own directory. Its disposal ends all processes. */
export interface CliWorld extends AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly model: ScriptedModel
  start(options?: StartOptions): Cli
  /** The file of a session, or undefined while there is none. */
  transcriptFile(sessionId: string): string | undefined
  /** The session's lines of type `user` and `assistant`; empty while there is no file. */
  transcript(sessionId: string): Line[]
}

export async function cliWorld(options: CliWorldOptions): Promise<CliWorld> {
  const { command, environment, script, compaction, patienceMs, signal } = options
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'iris-probe-')))
  const [home, project] = [join(root, 'home'), join(root, 'project')]
  for (const directory of [home, project]) mkdirSync(directory)
  const model = await startScriptedModel({ script, ...(compaction && { compaction }) })
  const started: Cli[] = []
  const transcriptFile = (sessionId: string): string | undefined => {
    const directory = join(home, '.claude', 'projects')
    if (!existsSync(directory)) return undefined
    const found = readdirSync(directory, { recursive: true }).find((path) =>
      String(path).endsWith(`${sessionId}.jsonl`),
    )
    return found === undefined ? undefined : join(directory, String(found))
  }
  return {
    home,
    project,
    model,
    start({ args = [], env, answer } = {}) {
      const complete = { ...environment({ home, modelUrl: model.url }), ...env }
      refuseElsewhere(complete)
      const cli = new Cli({
        command: [...command, ...args],
        cwd: project,
        env: complete,
        answer,
        signal,
        ...(patienceMs !== undefined && { patienceMs }),
      })
      started.push(cli)
      return cli
    },
    transcriptFile,
    transcript(sessionId) {
      const file = transcriptFile(sessionId)
      const lines = file === undefined ? [] : parseLines(readFileSync(file, 'utf8'))
      return lines.filter(({ type }) => ['user', 'assistant'].includes(String(type)))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((cli) => cli.kill()))
      await model.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

/** Leaves out a last line that is still being written. */
function parseLines(text: string): Line[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../../src/demo/script.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/demo/scripted-model.ts'
import { type ClaudeVersion, type Cli, type CliOptions, cliEnvironment, type Line, startCli } from './real-claude.ts'
import { scratchDirectory } from './scratch.ts'

/** A home, a project and a model for one version of the CLI; all processes end with it. */
export interface PinWorld extends AsyncDisposable {
  readonly version: ClaudeVersion
  readonly home: string
  readonly project: string
  readonly model: ScriptedModel
  start(options?: Partial<Pick<CliOptions, 'args' | 'env' | 'answer'>>): Cli
  /** The file of a session, or undefined while there is none. */
  transcriptFile(sessionId: string): string | undefined
  /** Its lines of type `user` and `assistant`; empty while there is no file. */
  transcript(sessionId: string): Line[]
}

export async function pinWorld(version: ClaudeVersion, script: Script, compaction?: Script): Promise<PinWorld> {
  const scratch = scratchDirectory()
  const [home, project] = [join(scratch.path, 'home'), join(scratch.path, 'project')]
  for (const directory of [home, project]) mkdirSync(directory)
  const model = await startScriptedModel({ script, ...(compaction && { compaction }) })
  const started: Cli[] = []
  const transcriptFile = (sessionId: string) => {
    const root = join(home, '.claude', 'projects')
    if (!existsSync(root)) return undefined
    const found = readdirSync(root, { recursive: true }).find((path) => String(path).endsWith(`${sessionId}.jsonl`))
    return found === undefined ? undefined : join(root, String(found))
  }
  return {
    version,
    home,
    project,
    model,
    start({ env, ...options } = {}) {
      const environment = { ...cliEnvironment({ version, home, modelUrl: model.url }), ...env }
      const cli = startCli({ version, cwd: project, env: environment, ...options })
      started.push(cli)
      return cli
    },
    transcriptFile,
    transcript(sessionId) {
      const file = transcriptFile(sessionId)
      const lines: Line[] = file === undefined ? [] : parseLines(readFileSync(file, 'utf8'))
      return lines.filter((line) => ['user', 'assistant'].includes(String(line.type)))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((cli) => cli.kill()))
      await model.close()
      scratch[Symbol.dispose]()
    },
  }
}

/** The last line may still be being written. */
function parseLines(text: string): Line[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type SampleProjects, writeSampleProjects } from './sample-projects.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A temporary directory with an IRIS_HOME and two projects, and the environment in which the daemon runs. */
export interface DemoWorld {
  /** Real path; everything the demo writes is in it. */
  readonly root: string
  /** IRIS_HOME. */
  readonly home: string
  readonly projects: SampleProjects
  readonly env: Environment
}

/** Without `modelUrl`, the world uses the person's own environment, login and model; otherwise it inherits nothing. */
export function makeDemoWorld(person: Environment, modelUrl: string | undefined): DemoWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'iris-demo-')))
  const home = join(root, 'iris')
  const projects = writeSampleProjects(root)
  for (const directory of [home, join(root, 'home')]) mkdirSync(directory, { mode: 0o700 })
  writeFileSync(join(home, 'config.yaml'), configText(projects, modelUrl === undefined), { mode: 0o600 })
  const env = modelUrl === undefined ? person : scriptedEnvironment(person, join(root, 'home'), modelUrl)
  return { root, home, projects, env: { ...env, IRIS_HOME: home } }
}

/** The file in which Claude Code keeps the conversation, once it has written it. */
export function transcriptFile({ env }: DemoWorld, sessionId: string): string | undefined {
  const directory = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude')
  const [found] = globSync(`projects/*/${sessionId}.jsonl`, { cwd: directory })
  return found === undefined ? undefined : join(directory, found)
}

export interface Entry {
  readonly version?: string
  readonly message?: { readonly content?: unknown }
}

/** The lines of a transcript, without those that are not JSON. */
export function readTranscript(file: string): Entry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
}

function scriptedEnvironment(person: Environment, home: string, modelUrl: string): Environment {
  return {
    HOME: home,
    PATH: person['PATH'],
    LANG: person['LANG'],
    TMPDIR: person['TMPDIR'],
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
}

/** Without --live, the Claude Code that Iris is tested with, if installed, so that the demo is always the same. */
export function configText(
  { frontend, backend }: SampleProjects,
  live: boolean,
  named: readonly string[] = ['frontend', 'backend'],
): string {
  const claude = live ? undefined : testedClaude()
  const teams = [
    { name: 'frontend', path: frontend, description: "The shop's pages." },
    { name: 'backend', path: backend, description: "The shop's API." },
  ]
  // JSON is valid YAML, and quotes every character that a path may contain.
  const entries = teams
    .filter(({ name }) => named.includes(name))
    .map(
      ({ name, path, description }) =>
        `  ${name}:\n    path: ${JSON.stringify(path)}\n    description: ${description}\n`,
    )
  return `settings:
  httpPort: 0
${claude === undefined ? '' : `  claudePath: ${JSON.stringify(claude)}\n`}
teams:
${entries.join('')}`
}

function testedClaude(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url)
    const package_ = resolve(`@anthropic-ai/claude-code-${process.platform}-${process.arch}/package.json`)
    const executable = join(dirname(package_), 'claude')
    return existsSync(executable) ? executable : undefined
  } catch {
    return undefined
  }
}

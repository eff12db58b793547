import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Script } from '../../src/app/demo/script.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/app/demo/scripted-model.ts'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { remoteTag } from '../../src/platform/hosts/remote-tag.ts'
import { shellQuoted } from '../../src/platform/hosts/shell-words.ts'
import { fakeClaude } from './fake-claude.ts'
import { isElsewhere } from './is-elsewhere.ts'
import { claudeBinary } from './real-claude.ts'
import { scratchDirectory } from './scratch.ts'
import { isNightly } from './tier.ts'

export interface WorldOptions {
  /**
   * The double follows the same script as the real one, and takes far less of the processor: for what Iris does, not Claude Code.
   * `either`: the double in the gate, the real one each night and for a named file. Default: the real one; where all teams are
   * elsewhere either, as hosts.test.ts shows the real one over a link.
   */
  readonly claude?: 'real' | 'fake' | 'either'
  /** The model's answer. Default: the message without its envelope. */
  readonly script?: Script
  /** The answer when Claude Code asks for a summary. */
  readonly compaction?: Script
  /** Names, each with its own directory; or with what config.yaml says of it. */
  readonly teams?: readonly string[] | Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly settings?: Readonly<Record<string, unknown>>
  /** For every process, beside what the daemon passes on. */
  readonly env?: Readonly<Record<string, string>>
  readonly insight?: ConfigChange['insight']
  readonly cluster?: ConfigChange['cluster']
}

export interface ConfigChange {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly teams?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly roles?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly channels?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly triggers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly insight?: Readonly<Record<string, unknown>>
  readonly cluster?: Readonly<Record<string, unknown>>
}

/** IRIS_HOME, the teams' directories, and the scripted model, all of one test's own. */
export interface World extends AsyncDisposable {
  readonly root: string
  readonly home: string
  readonly model: ScriptedModel
  /** A complete environment for a daemon, built from nothing. */
  readonly env: Readonly<Record<string, string>>
  directory(team: string): string
  /** Where Claude Code keeps its files. */
  readonly claudeDirectory: string
  /** The credential of programs, and that of the person whose Iris it is. */
  token(): string
  owner(): string
  /** Saves config.yaml again: as at the start, with these settings; `teams`, when given, are all there are. */
  writeConfig(change?: ConfigChange): void
}

/** Nothing happens that no test asked for: where a clock jumps, an idle process could not answer a probe in time. */
const quiet = {
  httpPort: 0,
  logLevel: 'error',
  prewarmPairs: 0,
  healthCheckInterval: 2 ** 31 - 1,
  callsPerMinute: 1_000_000,
  startsPerMinute: 10_000,
}

const echoScript: Script = ({ conversation }) => ({ text: `You said: ${spoken(conversation.lastUserText)}` })

/** A message without the envelope in which it arrived. */
export function spoken(text: string): string {
  return text.replace(/^<iris-message [^>]*>\n/, '').replace(/\n<\/iris-message>$/, '')
}

/** The tag of every process that the Iris with this home starts. */
export function tagOfIris(home: string): string {
  const tag = sha256(home).slice(0, 16)
  return isElsewhere ? remoteTag(tag) : tag
}

/** A shell of this machine in place of another one, as `docker exec` enters it: the same files, and no environment but this. */
function elsewhere(
  env: Readonly<Record<string, string>>,
  { claudePath = claudeBinary('2.1.330') }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const words = Object.entries(env).map(([name, value]) => shellQuoted(`${name}=${value}`))
  // A clock that jumps must not use it up.
  const linkGrace = 86_400_000
  return { remote: ['env', '-i', ...words, 'sh'].join(' '), claudePath, linkGrace }
}

/** Whether the double takes the place of Claude Code in this run. */
export function isDouble(claude: WorldOptions['claude']): boolean {
  return claude === 'fake' || (claude === 'either' && !isNightly)
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const scratch = scratchDirectory()
  const { path: root } = scratch
  const { claude = isElsewhere ? 'either' : 'real' } = options
  const fake = isDouble(claude) ? fakeClaude({ followsModel: true }) : undefined
  const home = join(root, 'iris')
  const model = await startScriptedModel({
    script: options.script ?? echoScript,
    ...(options.compaction && { compaction: options.compaction }),
  })
  const given = options.teams ?? ['frontend', 'backend', 'mobile']
  const first: NonNullable<ConfigChange['teams']> = Array.isArray(given)
    ? Object.fromEntries(given.map((name) => [name, {}]))
    : given
  const directory = (team: string): string => join(root, 'projects', team)
  const env = {
    HOME: root,
    PATH: process.env['PATH'] ?? '',
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  mkdirSync(home)
  const writeConfig: World['writeConfig'] = (change = {}) => {
    const {
      settings = {},
      teams = first,
      roles,
      channels,
      callbacks,
      triggers,
      insight = options.insight,
      cluster = options.cluster,
    } = change
    for (const team of Object.keys(teams)) mkdirSync(directory(team), { recursive: true })
    const own = { claudePath: fake?.claudePath ?? claudeBinary('2.1.330'), env: { ...fake?.env, ...options.env } }
    const inForce = { ...quiet, ...own, ...options.settings, ...settings }
    const place = isElsewhere ? elsewhere(env, inForce) : {}
    const config = {
      settings: inForce,
      teams: Object.fromEntries(
        Object.entries(teams).map(([team, more]) => [team, { path: directory(team), ...place, ...more }]),
      ),
      ...(roles && { roles }),
      ...(channels && { channels }),
      ...(callbacks && { callbacks }),
      ...(triggers && { triggers }),
      ...(insight && { insight }),
      ...(cluster && { cluster }),
    }
    writeFileSync(join(home, 'config.yaml'), stringify(config), { mode: 0o600 })
  }
  writeConfig()
  return {
    root,
    home,
    model,
    directory,
    writeConfig,
    claudeDirectory: join(root, '.claude'),
    token: () => readFileSync(join(home, 'token'), 'utf8').trim(),
    owner: () => readFileSync(join(home, 'owner'), 'utf8').trim(),
    env,
    async [Symbol.asyncDispose]() {
      await model.close()
      fake?.[Symbol.dispose]()
      scratch[Symbol.dispose]()
    },
  }
}

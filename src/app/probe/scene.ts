import { pause, systemClock } from '../../base/lib/clock.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { commandLine } from '../../claude/driver/command-line.ts'
import { processEnvironment } from '../../claude/driver/environment.ts'
import { findExecutable } from '../../platform/machine/find-executable.ts'
import { sweep } from '../../platform/machine/local-processes.ts'
import { tagVariable } from '../../platform/machine/process-tag.ts'
import type { Script } from '../demo/script.ts'
import type { ClauseName } from './clauses.ts'
import type { Cli, Line } from './cli.ts'
import { type CliWorld, cliWorld } from './world.ts'

/** The Claude Code that is probed. */
export interface Target {
  /** Absolute path. */
  readonly executable: string
  /** As the program reports it; undefined when it does not. */
  readonly version: string | undefined
  /** The PATH that processes get. */
  readonly path: string
  /** How long to wait for one line, file or exit, milliseconds. */
  readonly patienceMs: number
  /** When aborted, clauses without a verdict stay untried. */
  readonly signal: AbortSignal
}

/** The result for a clause. `did`: what the CLI did instead, or why the clause could not be tried. */
export type Verdict =
  | { readonly clause: ClauseName; readonly state: 'kept' }
  | { readonly clause: ClauseName; readonly state: 'differs' | 'untried'; readonly did: string }

/** Tests one clause. `look` resolves with the difference, if any; a rejection is a difference too. */
export type Check = (clause: ClauseName, look: () => Promise<string | undefined>) => Promise<void>

export interface Play {
  readonly world: CliWorld
  readonly check: Check
  /** The version that the program reports; undefined if it reports none. */
  readonly version: string | undefined
  /** Starts a process as Iris does. */
  readonly start: (conversation: Conversation) => Cli
  /** Calls `look` every 20 ms until it finds something. Rejects when it does not in time. */
  readonly appears: <T>(look: () => T | undefined | false, what: string) => Promise<T>
  /** Waits for the end of a process. Says how it ended, or that it did not. */
  readonly ended: (cli: Cli) => Promise<string>
}

interface Conversation {
  readonly sessionId?: string
  readonly resume?: boolean
  readonly answer?: (request: Line) => unknown
  /** A file that names MCP servers. */
  readonly sessionMcp?: string
}

/** Clauses that are tested together, in one or a few conversations, in a world of their own. */
export interface Scene {
  readonly clauses: readonly ClauseName[]
  readonly script: Script
  readonly play: (play: Play) => Promise<void>
}

export const systemPrompt = 'These words came with the command line.'

/** Plays a scene. Resolves with a verdict for each of its clauses. */
export async function playScene(scene: Scene, target: Target): Promise<readonly Verdict[]> {
  const { executable, patienceMs, signal } = target
  const irisTag = sha256(crypto.randomUUID()).slice(0, 16)
  const setpriv = process.platform === 'linux' ? await findExecutable('setpriv', process.env['PATH'] ?? '') : undefined
  const command = [...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []), executable]
  const verdicts = new Map<ClauseName, Verdict>()
  const check: Check = async (clause, look) => {
    const did = await look().catch(messageOf)
    if (did === undefined) verdicts.set(clause, { clause, state: 'kept' })
    else if (!signal.aborted) verdicts.set(clause, { clause, state: 'differs', did })
  }
  const { script } = scene
  await using world = await cliWorld({
    command,
    environment: environmentOf(target, irisTag),
    script,
    patienceMs,
    signal,
  })
  const play = { world, check, ...helpersFor(world, target) }
  // A scene that ends by itself has tried all of its clauses, unless it was aborted.
  const why = await scene.play(play).then(() => 'there was no time left', messageOf)
  await sweep(irisTag, 0, systemClock)
  const untried = (clause: ClauseName): Verdict => ({ clause, state: 'untried', did: `not tried: ${why}` })
  return scene.clauses.map((clause) => verdicts.get(clause) ?? untried(clause))
}

/** What a scene has besides its world and its checks. */
function helpersFor(world: CliWorld, { patienceMs, signal, version }: Target): Omit<Play, 'world' | 'check'> {
  return {
    version,
    start({ sessionId = crypto.randomUUID(), resume = false, answer, sessionMcp }) {
      const args = commandLine({
        sessionId,
        resume,
        model: undefined,
        agent: undefined,
        allowedTools: [],
        disallowedTools: [],
        appendSystemPrompt: systemPrompt,
        projectMcpServers: false,
        sessionMcp,
        version,
      })
      return world.start({ args, ...(answer && { answer }) })
    },
    async appears(look, what) {
      const began = systemClock.elapsed()
      for (;;) {
        const found = look()
        if (found !== undefined && found !== false) return found
        if (signal.aborted || systemClock.elapsed() - began > patienceMs) throw new Error(`no ${what}; not in time`)
        await pause(systemClock, 20)
      }
    },
    async ended(cli) {
      const ending = cli.exited.then(({ code, signal: by }) => by ?? `exit ${code}`)
      return Promise.race([ending, pause(systemClock, patienceMs, signal).then(() => 'it did not end in time')])
    },
  }
}

/** An environment of only what the CLI needs, with the model on the loopback interface. */
function environmentOf({ version, path }: Target, irisTag: string) {
  return ({ home, modelUrl }: { readonly home: string; readonly modelUrl: string }) => {
    const settings = {
      HOME: home,
      TMPDIR: home,
      PATH: path,
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      [tagVariable]: irisTag,
    }
    return processEnvironment({ daemon: {}, settings, team: {}, version })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

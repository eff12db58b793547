import type { IrisEvent } from '../../base/protocol/event.ts'
import { probedOf, programFile, readProbes } from '../../claude/driver/probe-record.ts'
import { claudeExecutables } from '../../kernel/pool/claude-programs.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

export interface ClaudeWatchParts {
  readonly config: () => Config
  readonly env: Environment
  /** The file with the results of `iris doctor --probe`, if there are any. */
  readonly file: string
  readonly publish: (event: IrisEvent) => void
}

/**
 * Watches whether the CLI in use is still the one that passed the probe, because the CLI updates itself without asking.
 */
export class ClaudeWatch {
  readonly #parts: ClaudeWatchParts
  #executables: readonly string[] = []
  #logged: string | undefined

  constructor(parts: ClaudeWatchParts) {
    this.#parts = parts
  }

  /** Also undefined when nothing was ever probed: there is nothing to compare with. */
  get problem(): string | undefined {
    const records = readProbes(this.#parts.file)
    if (records.length === 0) return undefined
    return this.#executables.map((path) => problemOf(path, records)).find((problem) => problem !== undefined)
  }

  /** Looks for the installed programs, and publishes the problem when it has changed. */
  async look(): Promise<void> {
    const { config, env, publish } = this.#parts
    this.#executables = await claudeExecutables(config(), env)
    const { problem } = this
    if (problem === this.#logged) return
    this.#logged = problem
    publish({ type: 'claude-changed', ...(problem !== undefined && { problem }) })
  }
}

function problemOf(path: string, records: ReturnType<typeof readProbes>): string | undefined {
  const program = programFile(path)
  if (program === undefined) return undefined
  const probed = probedOf(records, program)
  if (probed.kind === 'bad') {
    return `Claude Code (${path}) does not keep what Iris relies on: ${probed.record.differs.join(', ')}. "iris doctor --probe" says what that breaks.`
  }
  if (probed.kind !== 'changed') return undefined
  const { version, at } = probed.record
  return `Claude Code (${path}) is not the one in which the last probe found nothing wrong (${version ?? 'of unknown version'}, ${new Date(at).toISOString()}). Run "iris doctor --probe".`
}

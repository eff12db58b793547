import { sha256 } from '../../base/lib/sha256.ts'
import type { ConfigChange, ConfigProblem } from '../../base/protocol/config-problem.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Config } from './config.ts'
import { isTooLarge, readConfigText } from './config-text.ts'
import { changesIn } from './edited.ts'
import { type Environment, homePaths } from './home.ts'
import { configOf } from './load.ts'
import { masked, restored } from './masked-text.ts'
import { insistOnNewTrouble } from './new-trouble.ts'
import { ConfigError, ProblemList, shown } from './problem.ts'
import { replaceConfig } from './replace-config.ts'

export interface EditorParts {
  /** Provides the values for `${VAR}` and `~/`. */
  readonly env: Environment
  /** The configuration in force. */
  readonly config: () => Config
}

export interface ShownText {
  readonly file: string
  /** Without secrets; null for a text in which secrets cannot be recognised; empty for an absent file. */
  readonly text: string | null
  /** SHA-256 of the file; null if it is absent or cannot be read. */
  readonly hash: string | null
}

export interface Checked {
  readonly problems: readonly ConfigProblem[]
  /**
   * Changes compared with the file, or with the configuration in force if the file cannot be used; empty if there are
   * problems.
   */
  readonly changes: readonly ConfigChange[]
}

export interface Saved {
  readonly hash: string
  readonly changes: readonly ConfigChange[]
}

/** Edits config.yaml for clients of the daemon: shows it without secrets, checks a text, and saves harmless changes. */
export class ConfigEditor {
  readonly #parts: EditorParts
  readonly #home: string
  readonly #file: string
  readonly #uid = process.getuid?.()
  #shown: { readonly text: string; readonly masked: string | null } | undefined

  constructor(parts: EditorParts) {
    this.#parts = parts
    this.#home = parts.config().home
    this.#file = homePaths(this.#home).config
  }

  async read(): Promise<ShownText> {
    const text = await this.#textOnDisk()
    if (text === undefined) return { file: this.#file, text: null, hash: null }
    return { file: this.#file, text: await this.#masked(text ?? ''), hash: text === null ? null : sha256(text) }
  }

  /** The effects of saving the text, which must be based on the text that `read` returned. */
  async check(text: string): Promise<Checked> {
    const { problems, changes } = await this.#checked(text, (await this.#textOnDisk()) ?? null)
    return { problems, changes }
  }

  /**
   * Saves a text that is based on the one with this hash; the watch then puts it in force. Throws `config_conflict` if
   * the file has changed since, `config_invalid` with every mistake, `not_allowed` for changes that make commands run
   * or widen rights, and `store_unavailable` if the disk is full.
   */
  async save(text: string, hash: string | null): Promise<Saved> {
    const problems = this.#problems()
    const before = await readConfigText(this.#file, this.#uid, problems)
    const found = problems.inFileOrder()
    if (before === undefined || found.length > 0) throw new ConfigError(found)
    if (hash !== (before === null ? null : sha256(before))) throw conflict(this.#file)
    const checked = await this.#checked(text, before)
    if (checked.problems.length > 0) throw new ConfigError(checked.problems)
    refuseDangerous(checked.changes, this.#file)
    if (checked.text !== before) await this.#write(before, checked.text)
    return { hash: sha256(checked.text), changes: checked.changes }
  }

  /** Keeps the masked text for the next reader, because the file seldom changes. */
  async #masked(text: string): Promise<string | null> {
    if (this.#shown?.text !== text) this.#shown = { text, masked: (await masked(text)) ?? null }
    return this.#shown.masked
  }

  async #write(before: string | null, after: string): Promise<void> {
    const isReplaced = await replaceConfig(this.#file, before, after).catch(({ code }: NodeJS.ErrnoException) => {
      const isFull = code === 'ENOSPC' || code === 'EDQUOT'
      throw new IrisError(
        isFull ? 'store_unavailable' : 'config_invalid',
        `${shown(this.#file)} could not be written${isFull ? ': the disk is full' : ''} (${code}).`,
        isFull
          ? 'Free up space on its disk, then save again.'
          : 'Make yourself the owner of the file and its directory, then save again.',
      )
    })
    if (!isReplaced) throw conflict(this.#file)
  }

  async #checked(written: string, before: string | null): Promise<Checked & { readonly text: string }> {
    const problems = this.#problems()
    if (isTooLarge(written, problems)) return { text: written, problems: problems.inFileOrder(), changes: [] }
    const { text, inLines, strays, references } = await restored(written, before ?? '')
    if (strays.length + references.length === 0) {
      const after = await configOf(text, this.#options(), problems)
      const former = await this.#before(before)
      insistOnNewTrouble(former, after, problems)
      if (after !== undefined && problems.inFileOrder().length === 0) {
        const [masks, formerMasks] = [(await masked(text)) ?? '', (await masked(before ?? '')) ?? '']
        const changes = await changesIn(former, formerMasks, after, masks)
        return { text, problems: [], changes }
      }
      // Checks again with each secret on one line, so that the line numbers match the text that was sent.
      const asWritten = this.#problems()
      if (inLines !== text) insistOnNewTrouble(former, await configOf(inLines, this.#options(), asWritten), asWritten)
      if (asWritten.inFileOrder().length > 0) return { text, problems: asWritten.inFileOrder(), changes: [] }
    }
    for (const path of strays) problems.report(path, strayWords)
    for (const path of references) problems.report(path, referenceWords)
    return { text, problems: problems.inFileOrder(), changes: [] }
  }

  /** The configuration in the file, or the one in force if the file cannot be used. */
  async #before(text: string | null): Promise<Config> {
    return (await configOf(text, this.#options(), this.#problems())) ?? this.#parts.config()
  }

  #options() {
    const { env, config } = this.#parts
    return { home: this.#home, env, uid: this.#uid, mustExist: config().teams.size > 0 }
  }

  async #textOnDisk(): Promise<string | null | undefined> {
    return readConfigText(this.#file, undefined, this.#problems())
  }

  #problems(): ProblemList {
    return new ProblemList(this.#file)
  }
}

const strayWords = {
  problem: 'is the placeholder for a secret, but no secret was kept at this key',
  remedy: 'Write the value itself, or name a team as it was named before.',
}

const referenceWords = {
  problem: 'would newly refer to an environment variable of Iris, or to a secret elsewhere in the file',
  remedy: 'Write the value itself, or add the reference to config.yaml in an editor on this machine.',
}

function conflict(file: string): IrisError {
  return new IrisError(
    'config_conflict',
    `${shown(file)} has changed since it was read.`,
    'Read it again (GET /api/config), make the changes there, and save with its hash.',
  )
}

function refuseDangerous(changes: readonly ConfigChange[], file: string): void {
  const reasons = changes.flatMap(({ key, dangerous }) => (dangerous === undefined ? [] : [`${key} ${dangerous}`]))
  if (reasons.length === 0) return
  throw new IrisError(
    'not_allowed',
    `Iris does not let a browser or a program change this: ${reasons.join('; ')}.`,
    `Change it in ${shown(file)} with an editor on this machine.`,
  )
}

import { fallbackIn, isSystem, type Line } from '../../base/agent/line.ts'

type Request = (subtype: string, fields: Readonly<Record<string, unknown>>, timeoutMs: number) => Promise<unknown>

/** An idle CLI answers within 25 ms. */
const patienceMs = 10_000

/** The permission mode of every process of Iris, see `commandLine`. */
export const permissionMode = 'default'

/**
 * The defaults at the start of every message. A message can change them for later ones: a project's hook can change the
 * permission mode, and a refusal can change the model. The CLI's lines report that, and Iris restores the defaults
 * before the next message.
 */
export class SessionDefaults {
  readonly #request: Request
  #mode: string = permissionMode
  /** The model with which the process began, and the present one. */
  #firstModel: string | undefined
  #model: string | undefined
  #begunWith: string | undefined

  constructor(request: Request) {
    this.#request = request
  }

  /** The model with which the last message began; undefined if no message has begun. */
  get begunWith(): string | undefined {
    return this.#begunWith
  }

  take(line: Line): void {
    this.#model = fallbackIn(line)?.to ?? this.#model
    if (isSystem(line, 'init') && typeof line['model'] === 'string') {
      this.#model = line['model']
      this.#begunWith = this.#model
      this.#firstModel ??= this.#model
    }
    if (!isSystem(line, 'init') && !isSystem(line, 'status')) return
    if (typeof line['permissionMode'] === 'string') this.#mode = line['permissionMode']
  }

  /**
   * Call it before a message is written. The CLI reads its input in order, so there is no need to wait for the answer.
   */
  restore(): void {
    if (this.#mode !== permissionMode) this.#set('set_permission_mode', { mode: permissionMode })
    this.#mode = permissionMode
    if (this.#model !== this.#firstModel) this.#set('set_model', { model: this.#firstModel })
    this.#model = this.#firstModel
  }

  #set(subtype: string, fields: Readonly<Record<string, unknown>>): void {
    // If the CLI refuses, the next `init` still shows the wrong value, so Iris tries again before the next message.
    this.#request(subtype, fields, patienceMs).catch(() => {})
  }
}

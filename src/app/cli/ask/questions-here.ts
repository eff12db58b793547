import type { Readable } from 'node:stream'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { type Decision, decide } from '../../../features/permission/commands/decide.ts'
import { linesOf } from '../../../features/permission/commands/permission-lines.ts'
import { ownerCall } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { choose } from '../prompt.ts'
import type { LiveAnswer } from './live-answer.ts'

export interface KeyLender {
  lendTo<Answer>(prompt: (keys: Readable) => Promise<Answer>): Promise<Answer>
}

/** Shows one prompt at a time, and pauses the live answer meanwhile. */
export class Prompts {
  readonly #live: LiveAnswer | undefined
  readonly #keyboard: KeyLender | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(live: LiveAnswer | undefined, keyboard: KeyLender | undefined) {
    this.#live = live
    this.#keyboard = keyboard
  }

  show<Answer>(prompt: (keys?: Readable) => Promise<Answer>): Promise<Answer> {
    const shown = this.#last.then(async () => {
      this.#live?.hold()
      try {
        return await (this.#keyboard === undefined ? prompt() : this.#keyboard.lendTo(prompt))
      } finally {
        this.#live?.release()
      }
    })
    this.#last = shown.catch(() => {})
    return shown
  }
}

interface QuestionsHereParts {
  readonly turnId: string
  readonly prompts: Prompts
  /** Aborts when the message is answered. */
  readonly over: AbortSignal
}

/** Asks the permission questions of one message, and of those that it led to, at the terminal where it was sent. */
export class QuestionsHere {
  readonly #context: CommandContext
  readonly #parts: QuestionsHereParts
  readonly #open = new Map<string, AbortController>()

  constructor(context: CommandContext, parts: QuestionsHereParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Asks the questions that were open before this terminal began to listen. */
  async askWaiting(): Promise<void> {
    const { permissions } = await ownerCall(this.#context, 'list_permissions', {}).catch(() => ({ permissions: [] }))
    for (const permission of permissions.toReversed()) this.ask(permission)
  }

  ask(permission: PermissionView): void {
    const { turnId, prompts } = this.#parts
    const { permissionId, rootTurnId } = permission
    if ((permission.turnId !== turnId && rootTurnId !== turnId) || this.#open.has(permissionId)) return
    const decidedElsewhere = new AbortController()
    this.#open.set(permissionId, decidedElsewhere)
    const signal = AbortSignal.any([decidedElsewhere.signal, this.#parts.over])
    void prompts
      .show((keys) => this.#answer(permission, signal, keys))
      .catch((error: Error) => this.#context.note(error.message))
  }

  /** Withdraws a question that was decided elsewhere or has timed out. */
  decided({ permissionId }: Pick<PermissionView, 'permissionId'>): void {
    this.#open.get(permissionId)?.abort()
  }

  async #answer(permission: PermissionView, signal: AbortSignal, keys: Readable | undefined): Promise<void> {
    if (signal.aborted) return
    this.#context.note(`\n${linesOf(permission, Date.now()).join('\n')}`)
    const question = `May ${permission.team} use ${permission.toolName}?`
    const decision = await choose<Decision | 'later'>(this.#context, question, choices, { signal, keys })
    if (signal.aborted) return
    if (decision === undefined || decision === 'later')
      this.#context.note(
        'The request still waits. Answer it with "iris permissions", where you can also allow it for longer.',
      )
    else this.#context.note(await decide(this.#context, permission, decision, ''))
  }
}

/** To allow a tool for longer, a person needs more information, which `iris permissions` shows. */
const choices = [
  { value: 'once', label: 'Yes, this once' },
  { value: 'deny', label: 'No' },
  { value: 'later', label: 'Later' },
] as const

import { IrisError } from '../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import { roleOfThread, roleThread, threadBesideRole } from '../../base/protocol/role.ts'
import { knownTeam } from '../../kernel/accept/admission.ts'
import type { TurnHandle, TurnStatus, Turns } from '../../kernel/accept/turn-handle.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { AttachedFile } from '../../kernel/turn/ask.ts'
import type { Config } from '../../platform/config/config.ts'
import { roleOf } from '../../platform/config/roles.ts'
import type { ChannelSessions } from './channel-sessions.ts'
import type { ViewerRows } from './rows/viewer-rows.ts'

/** A person who chats in a browser, as named in the login. */
export interface ViewerPerson {
  readonly name: string
  /** The role that limits what teams do for this person. */
  readonly role: string
}

/** Where a person talks: one of their conversations with a team. */
export interface ViewerPlace {
  readonly team: string
  readonly conversation: string
}

export interface ViewerParts {
  readonly config: () => Config
  readonly rows: ViewerRows
  readonly turns: Turns
  readonly sessions: Sessions
  readonly chats: Pick<ChannelSessions, 'endIdle'>
}

interface NewMessage extends ViewerPlace {
  readonly message: string
  readonly key: string | undefined
  readonly attachments: readonly AttachedFile[] | undefined
}

/** How many unfinished messages, and how many conversations that are not archived, a person may have. */
const maxOpen = 5
const maxConversations = 100
const maxListed = 200
const titleLength = 120
const pageLength = 20
const maxViewedCharacters = 200_000

/** The chat page. Each person reads and writes only the conversations of their own name and role. */
export class Viewer {
  readonly #parts: ViewerParts

  constructor(parts: ViewerParts) {
    this.#parts = parts
  }

  /** The names of the teams that the person may ask. */
  teams({ role }: ViewerPerson): string[] {
    const { teams } = this.#parts.config()
    const asked = roleOf(this.#parts.config(), role).teams
    return [...teams.keys()].filter((name) => asked?.includes(name) ?? true)
  }

  conversations(person: ViewerPerson) {
    const { rows } = this.#parts
    const main = roleThread(person.role, mainThread)
    return rows
      .conversations(viewerAsker(person), main, maxListed, titleLength)
      .map(({ thread, title, open, ...row }) => ({
        ...row,
        conversation: threadBesideRole(thread),
        title: title ?? '',
        isWorking: open > 0,
      }))
  }

  /** A page of turns, the newest first, and where the next page begins. */
  page(person: ViewerPerson, place: ViewerPlace, before = Number.MAX_SAFE_INTEGER) {
    const rows = this.#parts.rows.turns(pairOf(person, place), before, pageLength, maxViewedCharacters)
    return { rows, next: rows.length === pageLength ? rows.at(-1)?.sequence : undefined }
  }

  /** Throws `queue_full` if the person has too many open messages, and everything that an ask throws. */
  async send(person: ViewerPerson, { message, key, attachments, ...place }: NewMessage): Promise<TurnHandle> {
    const { turns, config } = this.#parts
    const from = viewerAsker(person)
    knownTeam(place.team, config())
    const idempotencyKey = key && `${from}\0${key}`
    const known = idempotencyKey === undefined ? undefined : await turns.byKey(idempotencyKey)
    if (known === undefined) await this.#admit(person, place)
    const turn = await turns.ask({
      pair: { from, to: place.team, thread: place.conversation },
      role: person.role,
      message: message.toWellFormed(),
      waits: false,
      parent: undefined,
      idempotencyKey,
      attachments,
    })
    await turn.durable()
    return turn
  }

  /**
   * The turn with this id, if it belongs to this person. Throws `unknown_turn` otherwise, whether or not the turn
   * exists.
   */
  async own(person: ViewerPerson, turnId: string): Promise<TurnHandle> {
    const turn = this.#parts.turns.handle(turnId)
    const status = await turn.status()
    if (status !== undefined && this.isOf(person, this.#pairOfTurn(status))) return turn
    throw new IrisError('unknown_turn', `You have no message ${turnId}.`, 'Reload the page.')
  }

  isOf(person: ViewerPerson, { from, thread }: Pick<Pair, 'from' | 'thread'>): boolean {
    return from === viewerAsker(person) && roleOfThread(thread) === person.role
  }

  async #admit(person: ViewerPerson, place: ViewerPlace): Promise<void> {
    const { rows, sessions, chats } = this.#parts
    const from = viewerAsker(person)
    if (rows.open(from) >= maxOpen) {
      throw new IrisError(
        'queue_full',
        `${maxOpen} of your messages are already waiting.`,
        'Wait until one is answered.',
      )
    }
    if (sessions.openLive(pairOf(person, place)) !== undefined) return
    const live = rows.live(from)
    for (const pair of live) {
      if (live.length < maxConversations) return
      if (await chats.endIdle(pair)) return
    }
  }

  #pairOfTurn(status: TurnStatus): Pair {
    return 'live' in status ? status.live.pair : this.#parts.sessions.rowOf(status.row.session)
  }
}

/** `viewer:<name>`: no team and no chat can have this name. */
export function viewerAsker({ name }: Pick<ViewerPerson, 'name'>): string {
  return `viewer:${name}`
}

function pairOf(person: ViewerPerson, { team, conversation }: ViewerPlace): Pair {
  return { from: viewerAsker(person), to: team, thread: roleThread(person.role, conversation) }
}

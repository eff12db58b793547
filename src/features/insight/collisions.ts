import { relative, resolve } from 'node:path'
import type { ToolRefusal, ToolStart } from '../../base/agent/control-handler.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { Session } from '../../kernel/session/session.ts'
import { fileUsed, isWriting, wordsOfCommand } from '../../kernel/turn/files-used.ts'
import type { Config } from '../../platform/config/config.ts'

export interface CollisionsParts {
  readonly config: () => Config
  readonly publish: (event: IrisEvent) => void
}

/** What a running turn has done with a file. */
interface Use {
  readonly turn: string
  readonly by: Pair
  /** A command that names a file may do anything with that file. */
  readonly how: 'read' | 'named in a command' | 'changed'
}

/** A collision of two turns. */
interface Said {
  readonly writer: string
  readonly other: string
}

/** A write that waits for a person's permission. */
interface AskedUse {
  readonly turn: string
  readonly why: string
  readonly allowed: () => void
}

/** The limits for one turn. Files named in commands get a lower limit, so that there is room for written files. */
const [mostFiles, mostWords] = [500, 250]
const strength = { 'named in a command': 0, read: 1, changed: 2 } as const

/**
 * Tracks running turns that use the same file of a project. A command counts as using the files that it names, in the
 * directory of the project. Before the second turn writes, both agents are notified: the writer at once, and its tool
 * runs when repeated; the other agent with its next tool. With `onCollision: ask`, a person must allow the write first.
 * Nothing is stored.
 */
export class Collisions {
  readonly #parts: CollisionsParts
  /** The users of each file, by turn. */
  readonly #users = new Map<string, Map<string, Use>>()
  /** The files that each turn uses. */
  readonly #files = new Map<string, Set<string>>()
  /** The notes that the agent of each turn has not read yet. */
  readonly #notes = new Map<string, string[]>()
  /** The collisions that were reported for each file. */
  readonly #said = new Map<string, Said[]>()
  /** The writes that wait for a person's permission, by tool use. */
  readonly #asked = new Map<string, AskedUse>()

  constructor(parts: CollisionsParts) {
    this.#parts = parts
  }

  /** Notes which files the tool will use, and how. Returns why the tool does not run yet. */
  beforeTool(session: Session, { toolName, toolUseId, input }: ToolStart): ToolRefusal {
    const { config } = this.#parts
    const turn = session.turnOf(toolUseId)
    const path = fileUsed(toolName, input)
    const team = config().teams.get(session.to)
    if (turn === undefined || team === undefined || !config().insight.collisions) return undefined
    const keyOf = (used: string): string => JSON.stringify([team.remote ?? null, resolve(team.realPath, used)])
    for (const word of wordsOfCommand(toolName, input)) {
      this.#use({ turn: turn.id, by: session.ids, how: 'named in a command' }, keyOf(word))
    }
    if (path === undefined) return undefined
    const absolute = resolve(team.realPath, path)
    const file = keyOf(path)
    const writes = isWriting(toolName)
    const name = relative(team.realPath, absolute) || path
    const others = writes ? this.#unsaid(turn.id, file) : []
    const changed = others.find(({ how }) => how === 'changed')
    const tell = (): void => {
      for (const other of others) this.#tell(session, turn.id, other, name, file)
    }
    const use = (): void => this.#use({ turn: turn.id, by: session.ids, how: writes ? 'changed' : 'read' }, file)
    if (changed !== undefined && config().insight.onCollision === 'ask') {
      const allowed = (): void => {
        tell()
        use()
      }
      const why = `${pairText(changed.by)} has changed ${name} and is still working`
      this.#asked.set(toolUseId, { turn: turn.id, why, allowed })
      return undefined
    }
    tell()
    if (changed !== undefined) {
      return `Iris did not run this tool: ${pairText(changed.by)} has changed ${name} and is still working. Read the file again. If your change is still right, repeat it, and Iris runs it.`
    }
    use()
    return undefined
  }

  /** Whether a person must allow this tool use because of a collision. */
  isAsked(toolUseId: string): boolean {
    return this.#asked.has(toolUseId)
  }

  /**
   * The question for the person. Call `allowed` if the tool may run. If the person denied it and the agent repeats the
   * tool, the person is asked again.
   */
  question(toolUseId: string): Pick<AskedUse, 'why' | 'allowed'> | undefined {
    const asked = this.#asked.get(toolUseId)
    this.#asked.delete(toolUseId)
    return asked
  }

  /** Notes for the running turn's agent, to be added to its next tool. Each note is returned once. */
  noteFor(session: Session): string | undefined {
    const id = session.running?.id
    const notes = id === undefined ? undefined : this.#notes.get(id)
    if (id !== undefined) this.#notes.delete(id)
    return notes?.join('\n')
  }

  /** Adds a note, which the working agent of this turn reads with its next tool. */
  note(turnId: string, text: string): void {
    const notes = this.#notes.get(turnId) ?? []
    this.#notes.set(turnId, [...notes, text].slice(-10))
  }

  settled(turnId: string): void {
    for (const file of this.#files.get(turnId) ?? []) {
      const users = this.#users.get(file)
      users?.delete(turnId)
      if (users?.size === 0) this.#users.delete(file)
      const left = this.#said.get(file)?.filter(({ writer, other }) => writer !== turnId && other !== turnId) ?? []
      if (left.length === 0) this.#said.delete(file)
      else this.#said.set(file, left)
    }
    this.#files.delete(turnId)
    this.#notes.delete(turnId)
    for (const [toolUseId, { turn }] of this.#asked) if (turn === turnId) this.#asked.delete(toolUseId)
  }

  #unsaid(turnId: string, file: string): Use[] {
    const others = [...(this.#users.get(file)?.values() ?? [])].filter(({ turn }) => turn !== turnId)
    const said = this.#said.get(file) ?? []
    return others.filter(({ turn }) => !said.some(({ writer, other }) => writer === turnId && other === turn))
  }

  #tell(session: Session, turnId: string, other: Use, name: string, file: string): void {
    this.#said.set(file, [...(this.#said.get(file) ?? []), { writer: turnId, other: other.turn }])
    this.note(
      other.turn,
      `Iris: ${pairText(session.ids)} is about to change ${name}, which you have ${other.how}. Read it again.`,
    )
    if (other.how !== 'changed') {
      const seen = other.how === 'read' ? `read ${name}` : `named ${name} in a command`
      this.note(turnId, `Iris: ${pairText(other.by)} is still working. It ${seen} before your change.`)
    }
    this.#parts.publish({ type: 'files-collided', path: name, turnId, otherTurnId: other.turn, ...session.ids })
  }

  #use(use: Use, file: string): void {
    const files = this.#files.get(use.turn) ?? new Set()
    if (files.size >= (use.how === 'named in a command' ? mostWords : mostFiles) && !files.has(file)) return
    this.#files.set(use.turn, files.add(file))
    const users = this.#users.get(file) ?? new Map<string, Use>()
    const former = users.get(use.turn)?.how ?? use.how
    const how = strength[former] > strength[use.how] ? former : use.how
    this.#users.set(file, users.set(use.turn, { ...use, how }))
  }
}

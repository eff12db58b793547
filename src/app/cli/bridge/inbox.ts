import { lstatSync } from 'node:fs'
import type { Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Environment } from '../../../platform/config/home.ts'
import { ancestorsFrom, isPersons, openSession } from './living-session.ts'

const usualPatienceMs = 5000

/** The inbox of a running Claude Code session. The session does not acknowledge what it receives. */
export class Inbox {
  readonly #env: Environment
  readonly #path: string
  readonly #token: string
  readonly #parentPid: number
  readonly #patienceMs: number

  /**
   * Undefined if the client is not a Claude Code with an inbox, or if a program started it, because the program would
   * not expect a message.
   */
  static of(env: Environment, parentPid: number, patienceMs = usualPatienceMs): Inbox | undefined {
    const path = env['CLAUDE_CODE_MESSAGING_SOCKET']
    const token = env['CLAUDE_CODE_MESSAGING_TOKEN']
    if (!path || !token || !isPersons(env)) return undefined
    return new Inbox(env, path, token, parentPid, patienceMs)
  }

  private constructor(env: Environment, path: string, token: string, parentPid: number, patienceMs: number) {
    this.#env = env
    this.#path = path
    this.#token = token
    this.#parentPid = parentPid
    this.#patienceMs = patienceMs
  }

  /**
   * Whether the inbox accepts messages and belongs to the session that started this bridge. The variables could name
   * another session's socket, so Claude Code's list of running sessions must show this socket for an ancestor of this
   * process.
   */
  async isOpen(): Promise<boolean> {
    const pid = Number(basename(this.#path, '.sock'))
    if (!isOwnSocket(this.#path) || !ancestorsFrom(this.#parentPid).includes(pid)) return false
    if (openSession(this.#env, pid)?.['messagingSocketPath'] !== this.#path) return false
    const socket = await connected(this.#path, this.#patienceMs)
    socket?.destroy()
    return socket !== undefined
  }

  /** Resolves when the text is written, or cannot be. */
  async push(id: string, text: string): Promise<void> {
    const socket = await connected(this.#path, this.#patienceMs)
    if (socket === undefined) return
    const lines = [
      { type: 'auth', token: this.#token },
      { type: 'user', msgV: 1, msg_id: id, from: 'iris', priority: 'next', message: { role: 'user', content: text } },
    ]
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    // The connection ends only if its data is read.
    socket.resume()
    await closed
  }
}

/** Whether only this user can reach the socket; nothing else protects an inbox. */
function isOwnSocket(path: string): boolean {
  try {
    const [socket, directory] = [lstatSync(path), lstatSync(dirname(path))]
    const isOurs = [socket, directory].every(({ uid, mode }) => uid === process.getuid?.() && (mode & 0o022) === 0)
    return isOurs && socket.isSocket() && directory.isDirectory()
  } catch {
    return false
  }
}

/** Undefined when the session has ended or its inbox does not answer. */
function connected(path: string, patienceMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    // Not imported, for the reason that client/send.ts gives.
    const socket = process.getBuiltinModule('node:net').connect(path)
    socket.setTimeout(patienceMs, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => resolve(undefined))
    socket.once('connect', () => resolve(socket))
  })
}

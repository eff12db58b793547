import { type FileHandle, rename } from 'node:fs/promises'
import { type ConversationEnd, findEnd } from './conversation-end.ts'
import { type ConversationHead, headText, messageText, tailText } from './conversation-shape.ts'
import { type OpenFile, openPrivate, readEnd, writeAt } from './private-file.ts'

export interface ConversationFileOptions {
  readonly path: string
  readonly head: ConversationHead
  /** When the session was created, milliseconds since the epoch. */
  readonly createdAt: number
  /** Called after an existing file that was not a conversation was renamed to `path`. */
  readonly onSetAside: (path: string) => void
  readonly open?: OpenFile
}

/**
 * A growing `conversation.json`: each append replaces the tail of the file with messages and a new tail, in one write.
 * Each append opens the file, so that it recreates a deleted file and repairs a damaged one.
 */
export class ConversationFile {
  readonly #options: ConversationFileOptions

  constructor(options: ConversationFileOptions) {
    this.#options = options
  }

  /**
   * `messages`: JSON without line feeds. `at`: milliseconds since the epoch. Rejects with errors of the file system.
   */
  async append(messages: readonly string[], at: number): Promise<void> {
    const file = await (this.#options.open ?? openPrivate)(this.#options.path)
    let isForeign = false
    try {
      const { size } = await file.stat()
      const end = await this.#locate(file, size)
      if (end === undefined) isForeign = true
      else await this.#write(file, size, end, messages, at)
    } finally {
      await file.close()
    }
    if (!isForeign) return
    await this.#setAside(at)
    await this.append(messages, at)
  }

  async #locate(file: FileHandle, size: number): Promise<ConversationEnd | undefined> {
    const unwritten = { position: 0, isEmpty: true, tail: undefined }
    if (size === 0) return unwritten
    const end = await findEnd(file, size)
    if (end !== undefined) return end
    const head = Buffer.from(headText(this.#options.head))
    const start = size < head.length ? await readEnd(file, size, size) : undefined
    return start !== undefined && head.subarray(0, size).equals(start) ? unwritten : undefined
  }

  async #write(file: FileHandle, size: number, end: ConversationEnd, messages: readonly string[], at: number) {
    const { position, isEmpty, tail } = end
    const opening = position === 0 ? headText(this.#options.head) : isEmpty ? '' : ','
    const createdAt = tail?.createdAt ?? new Date(this.#options.createdAt).toISOString()
    const closing = tailText({ createdAt, lastUpdated: new Date(at).toISOString() })
    if (tail === undefined && size > position) await file.truncate(position)
    try {
      await writeAt(file, `${opening}${messages.map(messageText).join(',')}${closing}`, position)
    } catch (error) {
      // A part of the text would be invalid JSON. There is room for the old tail, so restore it; if that fails, the
      // next append repairs the file.
      const before = tail === undefined ? '' : tailText(tail)
      await writeAt(file, before, position)
        .then(() => file.truncate(position + before.length))
        .catch(() => {})
      throw error
    }
  }

  async #setAside(at: number): Promise<void> {
    const aside = this.#options.path.replace(/\.json$/, `.set-aside-${at}.json`)
    await rename(this.#options.path, aside)
    this.#options.onSetAside(aside)
  }
}

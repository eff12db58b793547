/** The chats whose histories still have to be read, by name. */
export class UnreadChats<T> {
  readonly #unread = new Map<string, T>()
  readonly #wanted = new Set<string>()
  #added = 0

  add(name: string, chat: T): void {
    if (!this.#unread.has(name)) this.#added += 1
    this.#unread.set(name, chat)
  }

  /** Whether this chat still has to be read. If so, it now comes before the chats for which nobody is waiting. */
  want(name: string): boolean {
    if (this.#unread.has(name)) this.#wanted.add(name)
    return this.#unread.has(name)
  }

  get counts(): { readonly read: number; readonly of: number } {
    return { read: this.#added - this.#unread.size, of: this.#added }
  }

  /** Yields the next chat. A chat counts as read when the next one is requested. */
  *[Symbol.iterator](): Iterator<T> {
    for (let name = this.#next(); name !== undefined; name = this.#next()) {
      yield this.#unread.get(name)!
      this.#unread.delete(name)
      this.#wanted.delete(name)
    }
  }

  #next(): string | undefined {
    const [name] = [...this.#wanted, ...this.#unread.keys()]
    return name
  }
}

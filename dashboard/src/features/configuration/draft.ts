/** config.yaml as Iris shows it. */
export interface Source {
  readonly text: string
  /** null if there is no such file. */
  readonly hash: string | null
}

export interface DraftState {
  /** The version of the file that the edits are based on; undefined before the file was read. */
  readonly base: Source | undefined
  readonly text: string
  /** The file as somebody else changed it while it was edited here. */
  readonly theirs: Source | undefined
  /** A text that the person typed and then put aside, until it is restored or discarded. */
  readonly aside: string | undefined
}

/** The text that a person is working on. It outlives the screen: a person who leaves the screen finds it again. */
export class Draft {
  #state: DraftState = { base: undefined, text: '', theirs: undefined, aside: undefined }
  #saving = false
  readonly #listeners = new Set<() => void>()

  readonly current = (): DraftState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isEdited(): boolean {
    return this.#state.base !== undefined && this.#state.text !== this.#state.base.text
  }

  edit(text: string): void {
    if (text !== this.#state.text) this.#turnTo({ text })
  }

  /**
   * Accepts the file as it was read. The file replaces a text that nobody has edited; otherwise there is a conflict.
   */
  take(read: Source): void {
    const { base, text } = this.#state
    if (this.#saving) return
    if (base === undefined || text === base.text || text === read.text) {
      this.#turnTo({ base: read, text: read.text, theirs: undefined })
    } else this.#turnTo({ theirs: read.hash === base.hash ? undefined : read })
  }

  /** Returns to the file, with somebody else's changes if there are any. Puts the typed text aside. */
  giveUp(): void {
    const { base, theirs, text } = this.#state
    const file = theirs ?? base
    if (file !== undefined) this.#turnTo({ base: file, text: file.text, theirs: undefined, aside: text })
  }

  /** Resolves a conflict by keeping the present text, which is from now on based on the other person's version. */
  settle(): void {
    this.#turnTo({ base: this.#state.theirs ?? this.#state.base, theirs: undefined })
  }

  /** Swaps the text with the one that was put aside. */
  bringBack(): void {
    const { aside, text } = this.#state
    if (aside !== undefined) this.#turnTo({ text: aside, aside: this.isEdited ? text : undefined })
  }

  forget(): void {
    this.#turnTo({ aside: undefined })
  }

  /**
   * Until `save` settles, a change of the file counts as this page's own save. `save` returns the hash of the saved
   * file.
   */
  async saving(save: (text: string, hash: string | null) => Promise<string>): Promise<void> {
    const { text, base } = this.#state
    this.#saving = true
    try {
      const hash = await save(text, base?.hash ?? null)
      this.#turnTo({ base: { text, hash }, theirs: undefined })
    } finally {
      this.#saving = false
    }
  }

  #turnTo(next: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...next }
    for (const listener of this.#listeners) listener()
  }
}

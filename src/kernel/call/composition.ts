import { fill, type Seams } from '../session/seams.ts'
import type { Feature, Opened } from './feature.ts'
import type { AfterCall, Handlers } from './operations.ts'

interface Ground {
  readonly seams: Seams
  /** Gets what a feature threw where Iris goes on without it. */
  readonly faults: { readonly note: (feature: string, what: string, error: unknown) => void }
}

/** Opens features one after the other: each gets the kernel and what the ones before it gave. */
export class Composition<Parts extends Ground> {
  readonly parts: Parts
  readonly #opened: (Opened<object> & { readonly name: string })[] = []

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Features in the order in which they were opened. */
  get names(): readonly string[] {
    return this.#opened.map(({ name }) => name)
  }

  with<Gives extends object>({ name, open }: Feature<Parts, Gives>): Composition<Parts & Gives> {
    const opened = open(this.parts)
    const { seams, faults } = this.parts
    fill(seams, name, opened.seams ?? {}, (what, error) => faults.note(name, what, error))
    this.#opened.push(Object.assign(opened, { name }))
    Object.assign(this.parts, opened.gives)
    return this as unknown as Composition<Parts & Gives>
  }

  get handlers(): Partial<Handlers> {
    return Object.assign({}, ...this.#opened.map(({ handlers }) => handlers))
  }

  get afterCall(): readonly AfterCall[] {
    return this.#opened.flatMap(({ afterCall }) => afterCall ?? [])
  }

  /** Settles when the features have begun. */
  begin(prewarmed: Promise<void>): Promise<unknown> {
    return Promise.all(this.#opened.map((each) => each.begin?.(prewarmed)))
  }

  changed(): void {
    for (const each of this.#opened) each.changed?.()
  }

  storePutBack(): void {
    for (const each of this.#opened) each.storePutBack?.()
  }

  /** Each of these settles when all features have done it; errors are noted, and hold up no other feature. */
  quiet(): Promise<unknown> {
    return this.#all('quiet')
  }

  end(): Promise<unknown> {
    return this.#all('end')
  }

  ended(): Promise<unknown> {
    return this.#all('ended')
  }

  close(): void {
    for (const each of this.#opened.toReversed()) each.close?.()
  }

  #all(step: 'quiet' | 'end' | 'ended'): Promise<unknown> {
    return Promise.all(
      this.#opened.toReversed().map(async (each) => {
        try {
          await each[step]?.()
        } catch (error) {
          this.parts.faults.note(each.name, step, error)
        }
      }),
    )
  }
}

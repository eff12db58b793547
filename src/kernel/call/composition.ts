import { type Broken, brokenKinds } from '../../base/protocol/broken.ts'
import type { FeatureView } from '../../base/protocol/feature-view.ts'
import { fill, type Seams } from '../session/seams.ts'
import type { AllEventTexts } from './event-texts.ts'
import type { Feature, Opened } from './feature.ts'
import type { AfterCall, Handlers } from './operations.ts'

interface Ground {
  readonly seams: Seams
  readonly eventTexts: AllEventTexts
  /** Receives errors of a feature that Iris can continue without. */
  readonly faults: {
    readonly note: (feature: string, what: string, error: unknown) => void
    readonly countOf: (feature: string) => number
  }
}

/** What every feature gets in addition to the kernel. */
export interface FeatureList {
  /** All features of this Iris, once they are opened. */
  readonly openedFeatures: () => FeatureView[]
  /** What currently does not work, most important first. */
  readonly brokenNow: () => Broken[]
}

/** Opens features one after the other: each gets the kernel and what the ones before it gave. */
export class Composition<Parts extends Ground> {
  readonly parts: Parts & FeatureList
  readonly #opened: (Opened<object> & { readonly name: string })[] = []

  readonly #leftOut: ReadonlySet<string>

  /** `leftOut`: names of features that are not opened. What would need their parts must be left out too. */
  constructor(parts: Parts, leftOut: ReadonlySet<string> = new Set()) {
    this.parts = Object.assign(parts, { openedFeatures: () => this.list, brokenNow: () => this.#broken() })
    this.#leftOut = leftOut
  }

  /** The features in the order in which they were opened. */
  get list(): FeatureView[] {
    const { faults } = this.parts
    return this.#opened.map((each) => ({
      name: each.name,
      isOn: each.isOn?.() ?? true,
      seams: Object.keys(each.seams ?? {}),
      faults: faults.countOf(each.name),
    }))
  }

  with<Gives extends object>({ name, open, events }: Feature<Parts & FeatureList, Gives>): Composition<Parts & Gives> {
    if (!this.#leftOut.has(name)) {
      const { seams, faults, eventTexts } = this.parts
      for (const [type, text] of Object.entries(events ?? {})) eventTexts.set(type, text)
      const opened = open(this.parts)
      fill(seams, name, opened.seams ?? {}, (what, error) => faults.note(name, what, error))
      this.#opened.push({ ...opened, name })
      Object.assign(this.parts, opened.gives)
    }
    return this as unknown as Composition<Parts & Gives>
  }

  #broken(): Broken[] {
    const all = this.#opened.flatMap((each) => each.broken?.() ?? [])
    return all.toSorted((a, b) => brokenKinds.indexOf(a.kind) - brokenKinds.indexOf(b.kind))
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

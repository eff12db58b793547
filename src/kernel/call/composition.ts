import { type Broken, brokenKinds } from '../../base/protocol/broken.ts'
import type { FeatureView } from '../../base/protocol/feature-view.ts'
import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import { fill, type Seams } from '../session/seams.ts'
import type { AllEventTexts, EventText } from './event-texts.ts'
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
  /** Returns all features of this Iris, once they are opened. */
  readonly openedFeatures: () => FeatureView[]
  /** Returns what currently does not work, most important first. */
  readonly brokenNow: () => Broken[]
  /** Returns what needs the owner. `urgent`: the conversations that are working or need a person. */
  readonly needsNow: (urgent: readonly UrgentSession[]) => readonly Need[]
}

type Named = Opened<object> & { readonly name: string }

/**
 * Opens features one after the other. Each gets the kernel and the parts from the features before it. If a feature
 * throws after it was opened, the error is noted and the other features are still called.
 */
export class Composition<Parts extends Ground> {
  readonly parts: Parts & FeatureList
  readonly #opened: Named[] = []

  readonly #leftOut: ReadonlySet<string>

  /**
   * `leftOut`: names of features that are not opened. A feature that needs the parts of one of these must be left out
   * too.
   */
  constructor(parts: Parts, leftOut: ReadonlySet<string> = new Set()) {
    const list: FeatureList = {
      openedFeatures: () => this.list,
      brokenNow: () => this.#broken(),
      needsNow: (urgent) => this.#each('needs', (each) => each.needs?.(urgent) ?? []).flat(),
    }
    this.parts = Object.assign(parts, list)
    this.#leftOut = leftOut
  }

  /** The features in the order in which they were opened. */
  get list(): FeatureView[] {
    const { faults } = this.parts
    return this.#opened.map((each) => ({
      name: each.name,
      isOn: this.#unlessItFails(each.name, 'isOn', () => each.isOn?.()) ?? true,
      seams: Object.keys(each.seams ?? {}),
      faults: faults.countOf(each.name),
    }))
  }

  with<Gives extends object>({ name, open, events }: Feature<Parts & FeatureList, Gives>): Composition<Parts & Gives> {
    if (!this.#leftOut.has(name)) {
      const { seams, faults, eventTexts } = this.parts
      for (const [type, text] of Object.entries(events ?? {})) eventTexts.set(type, this.#safe(name, text))
      const opened = open(this.parts)
      fill(seams, name, opened.seams ?? {}, (what, error) => faults.note(name, what, error))
      this.#opened.push({ ...opened, name })
      Object.assign(this.parts, opened.gives)
    }
    return this as unknown as Composition<Parts & Gives>
  }

  /** Wraps the texts of an event: if the function for a text throws, that text is left out. */
  #safe(name: string, { log, audit }: EventText<never>): EventText<never> {
    return {
      ...(log && { log: (event) => this.#unlessItFails(name, 'events', () => log(event)) }),
      ...(audit && { audit: (event) => this.#unlessItFails(name, 'events', () => audit(event)) }),
    }
  }

  #broken(): Broken[] {
    const all = this.#each('broken', (each) => each.broken?.() ?? []).flat()
    return all.toSorted((a, b) => brokenKinds.indexOf(a.kind) - brokenKinds.indexOf(b.kind))
  }

  get handlers(): Partial<Handlers> {
    return Object.assign({}, ...this.#opened.map(({ handlers }) => handlers))
  }

  get afterCall(): readonly AfterCall[] {
    return this.#opened.flatMap(({ name, afterCall }): AfterCall[] =>
      afterCall === undefined
        ? []
        : [(...call) => this.#unlessItFails(name, 'afterCall', () => afterCall(...call)) ?? call[1]],
    )
  }

  /** Settles when `begin` of all features has settled. */
  begin(prewarmed: Promise<void>): Promise<unknown> {
    return this.#all('begin', (each) => each.begin?.(prewarmed))
  }

  changed(): void {
    this.#each('changed', (each) => each.changed?.())
  }

  storePutBack(): void {
    this.#each('storePutBack', (each) => each.storePutBack?.())
  }

  /** `quiet`, `end` and `ended` settle when all features have done that step. */
  quiet(): Promise<unknown> {
    return this.#all('quiet', (each) => each.quiet?.(), this.#opened.toReversed())
  }

  end(): Promise<unknown> {
    return this.#all('end', (each) => each.end?.(), this.#opened.toReversed())
  }

  ended(): Promise<unknown> {
    return this.#all('ended', (each) => each.ended?.(), this.#opened.toReversed())
  }

  close(): void {
    this.#each('close', (each) => each.close?.(), this.#opened.toReversed())
  }

  /** Collects what the features return. If one throws, the error is noted and the next feature is called. */
  #each<T>(step: string, call: (each: Opened<object>) => T, features: readonly Named[] = this.#opened): T[] {
    return features.flatMap((each) => this.#unlessItFails(each.name, step, () => [call(each)]) ?? [])
  }

  /** Like `#each`, but calls all features at once and awaits their results. */
  #all(step: string, call: (each: Opened<object>) => unknown, features: readonly Named[] = this.#opened) {
    return Promise.all(
      features.map(async (each) => {
        try {
          await call(each)
        } catch (error) {
          this.parts.faults.note(each.name, step, error)
        }
      }),
    )
  }

  #unlessItFails<T>(name: string, step: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.parts.faults.note(name, step, error)
      return undefined
    }
  }
}

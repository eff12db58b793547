import fc from 'fast-check'

/** What an agent does for a question, besides answering it. */
export type Step =
  /** The model thinks. */
  | { readonly do: 'think'; readonly ms: number }
  /** A tool with an effect, which takes so long before it and after it. */
  | { readonly do: 'write'; readonly ms: number }
  | { readonly do: 'ask'; readonly to: Team; readonly timeout: number; readonly plan: Plan }
  /** The process is killed from outside; so many times at this place. */
  | { readonly do: 'die'; readonly times: number }
  /** The process hangs, the first time it comes here. */
  | { readonly do: 'hang' }
  /** The CLI begins its own turn after this one. */
  | { readonly do: 'unsolicited' }
  /** Something continues in the background after the answer. */
  | { readonly do: 'background'; readonly ms: number }

export interface Plan {
  readonly steps: readonly Step[]
  readonly end: 'answer' | 'api_error'
}

export const teams = ['a', 'b', 'c'] as const
export type Team = (typeof teams)[number]

/** A question as it was put: the same again has the same id. */
export interface Question {
  readonly id: string
  readonly plan: Plan
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly parent: Question | undefined
  /** Of the asks in its plan, by their place. */
  readonly children: ReadonlyMap<number, Question>
}

export function messageOf({ id }: Question): string {
  return `question=${id};`
}

export function answerOf({ id }: Question): string {
  return `answer=${id};`
}

/** The question that a text ends with, by its id; a summary of earlier ones may stand before it. */
export function questionIn(text: string): string | undefined {
  return [...text.matchAll(/question=(q\d+);/g)].at(-1)?.[1]
}

const short = fc.constantFrom(0, 10, 200, 3000)
const thinking = fc.oneof({ weight: 6, arbitrary: short }, fc.constantFrom(90_000, 400_000, 1_200_000))
/** Of an ask: without waiting, to the end, or so many milliseconds. */
export const timeout = fc.constantFrom(0, 0, -1, 50, 5000, 600_000)

function step(depth: number): fc.Arbitrary<Step> {
  const own: fc.WeightedArbitrary<Step>[] = [
    { weight: 4, arbitrary: fc.record({ do: fc.constant('think' as const), ms: thinking }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), ms: thinking }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('die' as const), times: fc.constantFrom(1, 1, 2, 9) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'hang' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'unsolicited' as const }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('background' as const), ms: fc.constantFrom(50, 1000) }) },
  ]
  if (depth === 0) return fc.oneof(...own)
  const asked = fc.record({
    do: fc.constant('ask' as const),
    to: fc.constantFrom(...teams),
    timeout,
    plan: plan(depth - 1),
  })
  return fc.oneof(...own, { weight: 5, arbitrary: asked })
}

export function plan(depth: number): fc.Arbitrary<Plan> {
  return fc.record({
    steps: fc.array(step(depth), { maxLength: 3 }),
    end: fc.oneof(
      { weight: 12, arbitrary: fc.constant('answer' as const) },
      { weight: 1, arbitrary: fc.constant('api_error' as const) },
    ),
  })
}

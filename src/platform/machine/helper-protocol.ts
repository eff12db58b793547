import { z } from 'zod'

/** What the helper is asked, one line of JSON each. */
export type HelperRequest =
  | {
      readonly do: 'read'
      /** Below the project's directory, where the helper was started. */
      readonly name: string
      readonly mostBytes: number
      /** What is too long is cut, not refused. */
      readonly cut: boolean
    }
  /** Below the project's directory, or absolute; directories with what is in them. */
  | { readonly do: 'last-change'; readonly names: readonly string[] }
  | { readonly do: 'git-diff'; readonly mostBytes: number; readonly timeoutMs: number }

/** What it says: nobody vouches for the helper, so each answer is checked against what was asked. */
export const Answer = z.strictObject({ id: z.int(), value: z.unknown() })

/** A problem is one of these words; what is shown of it is Iris's own text. */
const fileProblems = ['outside', 'no-file', 'too-large', 'no-utf8', 'unreadable'] as const
export type FileProblem = (typeof fileProblems)[number]

export function readAnswer(mostBytes: number) {
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: z.string().max(mostBytes), isCut: z.boolean() }),
    z.strictObject({ kind: z.literal('absent') }),
    z.strictObject({ kind: z.literal('unusable'), problem: z.enum(fileProblems) }),
  ])
}
export type ReadAnswer = z.output<ReturnType<typeof readAnswer>>

/** When any of it changed last, milliseconds since the epoch. */
export const ChangeAnswer = z.strictObject({ at: z.number() })
export type ChangeAnswer = z.output<typeof ChangeAnswer>

const diffProblems = [
  'no-git',
  'no-repository',
  'elsewhere',
  'no-commit',
  'unreadable-config',
  'slow',
  'failed',
] as const
export type DiffProblem = (typeof diffProblems)[number]

export function diffAnswer(mostBytes: number) {
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('diff'), text: z.string().max(mostBytes), isCut: z.boolean() }),
    z.strictObject({ kind: z.literal('none'), problem: z.enum(diffProblems) }),
  ])
}
export type DiffAnswer = z.output<ReturnType<typeof diffAnswer>>

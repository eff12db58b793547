import { z } from 'zod'

/** A request to the helper, one line of JSON. */
export type HelperRequest =
  | {
      readonly do: 'read'
      /** A path below the project's directory, where the helper was started. */
      readonly name: string
      readonly mostBytes: number
      /** Whether to cut a file that is too long, instead of refusing it. */
      readonly cut: boolean
      /** Whether the file may be outside the project. */
      readonly anywhere: boolean
    }
  /** A part of a file. The path is below the project's directory or absolute. */
  | { readonly do: 'read-part'; readonly name: string; readonly from: number; readonly mostBytes: number }
  /** Names below the project's directory, or absolute paths; a directory includes its content. */
  | { readonly do: 'last-change'; readonly names: readonly string[] }
  | { readonly do: 'git-diff'; readonly mostBytes: number; readonly timeoutMs: number }
  /** Names below the project's directory, or absolute paths. */
  | { readonly do: 'file-states'; readonly names: readonly string[]; readonly timeoutMs: number }
  /** The commits since `since`, an id, that changed the file below the project's directory. */
  | { readonly do: 'last-commit'; readonly name: string; readonly since: string; readonly timeoutMs: number }
  /** `was` is the SHA-256 of the file's current content; null if the file does not exist. */
  | { readonly do: 'write'; readonly name: string; readonly text: string; readonly was: string | null }

/** An answer from the helper. The helper is not trusted, so each answer is checked against its request. */
export const Answer = z.strictObject({ id: z.int(), value: z.unknown() })

/** All problems that the helper can report. Iris shows its own text for each. */
const fileProblems = ['outside', 'no-file', 'too-large', 'no-utf8', 'unreadable', 'unwritable'] as const
export type FileProblem = (typeof fileProblems)[number]

export function readAnswer(mostBytes: number) {
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: z.string().max(mostBytes), isCut: z.boolean() }),
    z.strictObject({ kind: z.literal('absent') }),
    z.strictObject({ kind: z.literal('unusable'), problem: z.enum(fileProblems) }),
  ])
}
export type ReadAnswer = z.output<ReturnType<typeof readAnswer>>

export function partAnswer(mostBytes: number) {
  return z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('part'),
      base64: z.base64().max(Math.ceil(mostBytes / 3) * 4),
      /** The size of the whole file. */
      size: z.number(),
      /** A different identity means another file, or a change to this one. */
      identity: z.string().max(200),
    }),
    z.strictObject({ kind: z.literal('absent') }),
    z.strictObject({ kind: z.literal('unusable'), problem: z.enum(fileProblems) }),
  ])
}
export type PartAnswer = z.output<ReturnType<typeof partAnswer>>

/** The time of the latest change, milliseconds since the epoch. */
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

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/)

export function statesAnswer(count: number) {
  const file = z.strictObject({ name: z.string().max(4096), hash: z.string().max(100) })
  return z.strictObject({ head: CommitId.optional(), files: z.array(file.nullable()).length(count) })
}
export type StatesAnswer = z.output<ReturnType<typeof statesAnswer>>

export const CommitAnswer = z.strictObject({
  commit: z.strictObject({ id: CommitId, author: z.string().max(1000) }).optional(),
})
export type CommitAnswer = z.output<typeof CommitAnswer>

export const WriteAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('written') }),
  z.strictObject({ kind: z.literal('changed') }),
  z.strictObject({ kind: z.literal('unusable'), problem: z.enum(fileProblems) }),
])
export type WriteAnswer = z.output<typeof WriteAnswer>

import { Chunk } from '@codemirror/merge'
import { Text } from '@codemirror/state'
import { plainLines } from './line-ends.ts'

/** If much differs, approximate differences are enough, because exact ones take quadratic time. */
const limits = { scanLimit: 500, timeout: 200 }

interface Differences {
  readonly a: Text
  readonly b: Text
  readonly chunks: readonly Chunk[]
}

/** The places where two texts differ. */
export function differencesOf(before: string, after: string): Differences {
  const [a, b] = [Text.of(plainLines(before).split('\n')), Text.of(plainLines(after).split('\n'))]
  return { a, b, chunks: Chunk.build(a, b, limits) }
}

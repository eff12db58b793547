import { expect, test } from 'vitest'
import { reflect } from '../../src/features/insight/reflection.ts'
import type { RecordedUse } from '../../src/platform/store/recording.ts'
import { picker } from '../property/random.ts'
import { makeWeeks } from './weeks.ts'

/** The rules were chosen with seeds 1 to 5; these were not looked at. */
const judged = Array.from({ length: 10 }, (_, index) => 301 + index)
const words = ['It is in', 'See', 'You find it in', 'That lives in']
const places = ['src/api', 'lib/store', 'app/models', 'server/routes']

/** Weeks with answers: of half of the planted questions the last answer names another file or another number. */
function recorded(seed: number) {
  const weeks = makeWeeks(seed)
  const pick = picker(seed + 1)
  const one = <T>(from: readonly T[]): T => from[pick(from.length)]!
  const { questionOf } = weeks.planted
  const last = new Map<number, string>()
  for (const { id } of weeks.asks) if (questionOf.has(id)) last.set(questionOf.get(id)!, id)
  const changed = new Set([...last.keys()].filter((question) => question % 2 === 0))
  const answers = new Map(
    weeks.asks.map(({ id, message, acceptedAt }) => {
      const question = questionOf.get(id)
      const isOther = question !== undefined && changed.has(question) && last.get(question) === id
      const about = question === undefined ? pick(10_000) : `${question}${isOther ? 'b' : 'a'}`
      const place = question === undefined ? one(places) : places[question % places.length]!
      const answer = `${one(words)} ${place}/file${about}.ts:${1 + pick(300)}. Please ask again when it is not clear.`
      return [id, { id, message, answer, answeredAt: acceptedAt + 60_000 }] as const
    }),
  )
  const uses: RecordedUse[] = []
  const circling = new Set<string>()
  for (const [index, { id, to }] of weeks.asks.entries()) {
    if (index % 40 === 0) circling.add(id)
    const length = 5 + pick(20)
    for (let n = 0; n < length; n++) {
      const hash =
        circling.has(id) && n < 4 * (1 + (index % 3)) ? `round ${n % (1 + (index % 3))}` : `own ${n} ${pick(50)}`
      uses.push({ turn: id, team: to, name: 'Read', input: hash, hash, startedAt: n })
    }
  }
  const contradicted = [...changed].map((question) => last.get(question)!)
  const recording = {
    asks: () => weeks.asks,
    questions: () => weeks.questions,
    uses: () => uses,
    costs: () => [],
    answers: (turns: readonly string[]) => turns.flatMap((id) => answers.get(id) ?? []),
  }
  return { recording, planted: { contradicted, circling } }
}

test('nine of ten reported contradictions and circles are planted ones, and nine of ten planted ones are reported', () => {
  const counts = { contradicted: [0, 0, 0], circles: [0, 0, 0] }
  for (const seed of judged) {
    const { recording, planted } = recorded(seed)
    const found = reflect(recording, [])
    const later = found.contradicted.map(({ later: { id } }) => id)
    // At most twenty of each kind are reported.
    const turns = found.circles.map(({ turn }) => turn)
    const right = (ids: readonly string[], of: Iterable<string>) => ids.filter((id) => [...of].includes(id)).length
    counts.contradicted = [
      counts.contradicted[0]! + later.length,
      counts.contradicted[1]! + right(later, planted.contradicted),
      counts.contradicted[2]! + planted.contradicted.length,
    ]
    const expected = Math.min(20, planted.circling.size)
    counts.circles = [
      counts.circles[0]! + turns.length,
      counts.circles[1]! + right(turns, planted.circling),
      counts.circles[2]! + expected,
    ]
  }
  for (const [kind, [reported, right, planted]] of Object.entries(counts)) {
    const shares = { precise: right! / reported! >= 0.9, complete: right! / planted! >= 0.9 }
    expect({ kind, reported, right, planted, ...shares }).toMatchObject({ precise: true, complete: true })
  }
})

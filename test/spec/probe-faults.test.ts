import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ClauseName, clauseNames, clauses } from '../../src/app/probe/clauses.ts'
import { scenes } from '../../src/app/probe/probe.ts'
import { playScene } from '../../src/app/probe/scene.ts'
import { faultyClaude } from '../support/faulty-claude.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { isNightly } from '../support/tier.ts'

/** What goes with a clause, because it cannot be kept without it. */
const dependent: Partial<Record<ClauseName, readonly ClauseName[]>> = {
  'session.file': ['session.registry'],
  'permission.handed': ['permission.refused'],
}

/** That nothing comes is known when nobody waits any longer; everywhere else a busy machine gets its time. */
const shownByAbsence: readonly ClauseName[] = ['session.file', 'session.registry', 'subagents.idle']

/** Each clause at night, and when this file is named; else one of each scene. */
const broken = isNightly ? clauseNames : scenes.map((scene) => scene.clauses.at(-1)!)

test('every clause is tried by one scene, and stands in the guide in the same words', () => {
  expect(scenes.flatMap((scene) => scene.clauses).toSorted()).toEqual(clauseNames.toSorted())
  const page = readFileSync(new URL('../../docs/guide/claude-code.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| `[a-z]+\.[a-z]+` \|/.test(line))
  const expected = Object.entries(clauses).map(
    ([name, { expects, breaks }]) => `| \`${name}\` | ${expects} | ${breaks} |`,
  )
  expect(rows).toEqual(expected)
})

/** That waiting is idle, so that it is done side by side. */
test.concurrent.each(broken.filter((clause) => shownByAbsence.includes(clause)))(
  'a Claude Code that breaks %s is found out, and by that clause',
  async (clause) => {
    expect(await brokenClauses(clause, 25_000)).toEqual([clause, ...(dependent[clause] ?? [])])
  },
  300_000,
)

test.each(broken.filter((clause) => !shownByAbsence.includes(clause)))(
  'a Claude Code that breaks %s is found out, and by that clause',
  async (clause) => {
    expect(await brokenClauses(clause, 60_000)).toEqual([clause, ...(dependent[clause] ?? [])])
  },
  300_000,
)

/** The probe's findings for a Claude Code that violates the clause. */
async function brokenClauses(clause: ClauseName, patienceMs: number): Promise<readonly ClauseName[]> {
  using scratch = scratchDirectory()
  const executable = faultyClaude(scratch.path, clause, claudeBinary('2.1.330'))
  const scene = scenes.find((one) => one.clauses.includes(clause))!
  const signal = new AbortController().signal
  const path = process.env['PATH'] ?? ''
  const verdicts = await playScene(scene, { executable, version: '2.1.330', path, patienceMs, signal })
  const differing = verdicts.filter(({ state }) => state === 'differs')
  for (const verdict of differing) expect(verdict).toMatchObject({ did: expect.stringMatching(/\S/) })
  return differing.map((verdict) => verdict.clause)
}

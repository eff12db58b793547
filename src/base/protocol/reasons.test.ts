import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { reasonMeanings, statusMeanings } from './reasons.ts'
import { Reason, TurnResult } from './turn.ts'

const guide = await readFile(new URL('../../../docs/guide/answers.md', import.meta.url), 'utf8')

/** The rows of the section's table. Links are reduced to their text, without the address in parentheses. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = guide.split(`\n## ${section}\n`)
  const rows = text.split('\n## ')[0]!.matchAll(/^\| (`.*) \|$/gm)
  return [...rows].map(([, cells = '']) => cells.replaceAll(/ \([Ss]ee \[[^\]]+\]\([^)]+\)\)/g, '').split(' | '))
}

test('the guide has each status, with the words of the code', () => {
  const rows = Object.entries(statusMeanings).map(([status, means]) => [`\`${status}\``, means])
  expect(rowsOf('Statuses')).toEqual(rows)
  expect(Object.keys(statusMeanings).toSorted()).toEqual(TurnResult.shape.status.options.toSorted())
})

test('the guide has each reason, with the words of the code', () => {
  const rows = Object.entries(reasonMeanings).map(([reason, { outcomes, means, remedy }]) => [
    `\`${reason}\``,
    outcomes.map((outcome) => `\`${outcome}\``).join(', '),
    means,
    remedy,
  ])
  expect(rowsOf('Reasons')).toEqual(rows)
  expect(Object.keys(reasonMeanings).toSorted()).toEqual(Reason.options.toSorted())
})

import { expect, test } from 'vitest'
import { teamColors } from './team-colors.ts'

test('a configured colour stays, and no two teams are alike', () => {
  const names = Array.from({ length: 60 }, (_, index) => `team-${index}`)
  const colors = teamColors(names.map((name, index) => ({ name, ...(index === 7 && { color: '#2563eb' }) })))
  expect(colors.get('team-7')).toBe('#2563eb')
  expect(new Set(colors.values()).size).toBe(60)
})

test('a team without a colour does not get the hue that is configured for another one', () => {
  // Alone it would have this one.
  const alone = teamColors([{ name: 'backend' }]).get('backend')!
  const hue = Number(/hsl\((\d+)/.exec(alone)![1])
  const near = [
    '#e60000',
    '#e67300',
    '#e6e600',
    '#73e600',
    '#00e600',
    '#00e673',
    '#00e6e6',
    '#0073e6',
    '#0000e6',
    '#7300e6',
    '#e600e6',
    '#e60073',
  ]
  const same = near[Math.round(hue / 30) % 12]!
  expect(teamColors([{ name: 'backend' }, { name: 'other', color: same }]).get('backend')).not.toBe(alone)
})

test('a team has the same colour whichever order the teams come in', () => {
  const teams = ['backend', 'frontend', 'mobile', 'docs'].map((name) => ({ name }))
  expect(Object.fromEntries(teamColors(teams.toReversed()))).toEqual(Object.fromEntries(teamColors(teams)))
})

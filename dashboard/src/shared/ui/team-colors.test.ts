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

/** Of `hsl(120 60% 40%)`, by way of red, green and blue from 0 to 255. */
function luminanceOf(color: string): number {
  const [hue = 0, saturation = 0, lightness = 0] = /^hsl\((\d+) (\d+)% (\d+)%\)$/.exec(color)!.slice(1).map(Number)
  const most = (1 - Math.abs((2 * lightness) / 100 - 1)) * (saturation / 100)
  const least = lightness / 100 - most / 2
  const other = most * (1 - Math.abs(((hue / 60) % 2) - 1))
  const sixths = [
    [most, other, 0],
    [other, most, 0],
    [0, most, other],
    [0, other, most],
    [other, 0, most],
    [most, 0, other],
  ]
  const [red, green, blue] = sixths[Math.floor(hue / 60) % 6]!.map((part) => {
    const share = Math.round((part + least) * 255) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('each colour that Iris chooses can be told from the light panel and from the dark one', () => {
  const colors = teamColors(Array.from({ length: 60 }, (_, index) => ({ name: `team-${index}` })))
  // #1a1a25, the panel in dark colours.
  const dark = 0.0112
  const contrasts = [...colors.values()].map((color) => {
    const luminance = luminanceOf(color)
    return Math.min(1.05 / (luminance + 0.05), (luminance + 0.05) / (dark + 0.05))
  })
  expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(3)
})

import { expect, test } from 'vitest'
import { mistake, temporaryHome } from '../../../test/support/temporary-home.ts'

const team = 'teams:\n  a: { path: ~/projects/backend }\n'
const callbacks = (line: string) => `${team}callbacks:\n  ci: { ${line} }\n`

test('a callback needs an address and a file with a secret; the rest has defaults', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load(callbacks('url: "https://ci.example/x", secretFile: ci.secret'))
  const url = 'https://ci.example/x'
  const usual = { events: ['turn-settled'], include: 'status', private: false }
  expect(config.callbacks.get('ci')).toEqual({ name: 'ci', url, secretFile: 'ci.secret', ...usual })
  const more = await disk.load(
    callbacks(`url: "${url}", secretFile: [old, new], teams: [a, b@studio], events: [turn-accepted]`),
  )
  expect(more.callbacks.get('ci')).toMatchObject({ secretFile: ['old', 'new'], teams: ['a', 'b@studio'] })
})

test('a team that does not exist is a mistake, because no message could name the callback', async () => {
  await using disk = await temporaryHome()
  const found = await disk.mistakes(callbacks('url: "https://ci.example", secretFile: x, teams: [nobody]'))
  const rows = ['"nobody"', 'is no team', 'a', 'Correct the name, or add it under teams.'] as const
  expect(found).toBe(mistake('4:59', 'callbacks.ci.teams[0]', ...rows))
})

test('an address in the clear that is not on this machine is a mistake, and is not shown', async () => {
  await using disk = await temporaryHome()
  const found = await disk.mistakes(callbacks('url: "http://ci.example/T0SECRET", secretFile: x'))
  expect(found).toContain('goes over a network in the clear')
  expect(found).not.toContain('T0SECRET')
})

test.each([
  ['url: "https://ci.example"', 'callbacks.ci.secretFile'],
  ['secretFile: x', 'callbacks.ci.url'],
])('a callback with only %s is a mistake, and %s is named as missing', async (line, key) => {
  await using disk = await temporaryHome()
  const found = await disk.mistakes(callbacks(line))
  expect(found).toContain(`Key:     ${key}\n  Problem: is missing\n`)
  expect(found).toContain('Fix:     Add it.')
})

test('a trigger names a callback that there is, and that is for its team', async () => {
  await using disk = await temporaryHome()
  const trigger = 'triggers:\n  t: { secretFile: /x, scheme: token, team: a, message: Look., callback: ci }\n'
  const ci = (line: string) => callbacks(`url: "https://ci.example", secretFile: x${line}`) + trigger
  expect((await disk.load(ci(''))).triggers.get('t')).toMatchObject({ callback: 'ci' })
  for (const found of [await disk.mistakes(ci(', teams: ["b@studio"]')), await disk.mistakes(team + trigger)])
    expect(found).toContain('is not a callback for this team')
})

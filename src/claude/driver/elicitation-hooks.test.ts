import { expect, test } from 'vitest'
import { elicitationHook } from './elicitation-hooks.ts'

const settings = (group: object) => JSON.stringify({ hooks: { Elicitation: [group] } })

test.each([
  ['without a matcher', settings({ hooks: [] })],
  ['for all servers', settings({ matcher: '*' })],
  ['for this server', settings({ matcher: 'other|iris' })],
  ['for the server of the plugin', settings({ matcher: '^plugin:iris:' })],
  ['with a matcher that nobody can read', settings({ matcher: '(' })],
])('a hook %s may answer a form of Iris', (_which, text) => {
  const file = { path: 'here', text }
  expect(elicitationHook([{ path: 'before', text: '{}' }, file])).toBe(file)
})

test.each([
  ['for another server', settings({ matcher: 'iris-2|other' })],
  ['of another event', JSON.stringify({ hooks: { ElicitationResult: [{}] } })],
  ['in a file that Claude Code ignores', '{"hooks":{"Elicitation":[{}]},}'],
  ['of a form that is none', JSON.stringify({ hooks: { Elicitation: 'x' } })],
])('a hook %s does not', (_which, text) => {
  expect(elicitationHook([{ text }])).toBeUndefined()
})

import { expect, test } from 'vitest'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { answerOf, choices, freshDraft } from './answer.ts'

const permission = { permissionId: 'q1', inputHash: 'h1', rule: 'Bash(ls)' } as PermissionView
const draft = freshDraft(permission)
const answer = (key: string, change: object = {}) => answerOf(permission, choices[key]!, { ...draft, ...change })
const bound = { permissionId: 'q1', inputHash: 'h1' }

test('an answer is bound to the question and to the input that was shown', () => {
  expect(answer('a')).toEqual({ ...bound, decision: 'allow', scope: 'once' })
  expect(answer('d')).toEqual({ ...bound, decision: 'deny', scope: 'once' })
})

test('one that holds on says the rule that was shown, as it was edited', () => {
  expect(answer('p')).toEqual({ ...bound, decision: 'allow', scope: 'pair', rule: 'Bash(ls)' })
  expect(answer('w', { rule: ' Bash(ls *) ' })).toMatchObject({ scope: 'always', rule: 'Bash(ls *)' })
})

test('without a rule nothing can hold on', () => {
  expect(answerOf({ ...permission, rule: null }, choices['s']!, freshDraft({ ...permission, rule: null }))).toContain(
    'Write the rule',
  )
})

test('a denial takes its message along, and no input', () => {
  expect(answer('d', { message: ' not here ', input: '{"command":"x"}' })).toEqual({
    ...bound,
    decision: 'deny',
    scope: 'once',
    message: 'not here',
  })
})

test('a denial may hold on, too, with the rule', () => {
  const denied = { ...bound, decision: 'deny', scope: 'pair', rule: 'Bash(ls)' }
  expect(answer('d', { denialScope: 'pair' })).toEqual(denied)
  expect(answer('a', { denialScope: 'pair' })).toMatchObject({ scope: 'once' })
})

test('another input is allowed once, and only if it is one', () => {
  expect(answer('a', { input: '{"command":"x"}' })).toEqual({
    ...bound,
    decision: 'allow',
    scope: 'once',
    updatedInput: { command: 'x' },
  })
  expect(answer('s', { input: '{"command":"x"}' })).toContain('only once')
  for (const input of ['', '[]', 'null', '{"a"', '"x"']) expect(answer('a', { input })).toContain('not a JSON object')
})

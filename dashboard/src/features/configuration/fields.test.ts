import { expect, test } from 'vitest'
import { fieldsOf } from './fields.ts'

const schema = {
  properties: {
    maxProcesses: { type: 'integer', title: 'How many.', description: 'from 1', default: 10, unit: 'processes' },
    budget: { type: 'object', properties: { turns: { type: 'integer' } } },
    claudePath: { type: 'string', dangerous: 'chooses the program' },
    isolation: {
      type: 'string',
      enum: ['home', 'none', 'sandbox'],
      dangerous: 'x',
      harmless: ['sandbox', 'home', 'none'],
    },
    dangerous: { type: 'boolean', default: false, dangerous: 'x', harmless: [false, true] },
    allow: { type: 'array', dangerous: 'x', harmless: 'fewer' },
    httpPort: { type: 'integer', restart: true },
    forwardTo: { type: 'object', dangerous: 'x', properties: { url: { type: 'string' } } },
  },
}

test('a schema becomes fields, with what counts now', () => {
  const fields = fieldsOf(schema, ['settings'], { maxProcesses: 4, isolation: 'home', budget: { turns: 7 } })
  expect(fields).toMatchObject([
    { path: ['settings', 'maxProcesses'], kind: 'number', meaning: 'How many.', unit: 'processes', inForce: '4' },
    { path: ['settings', 'budget', 'turns'], name: 'budget.turns', inForce: '7', isReadOnly: false },
    { name: 'claudePath', kind: 'text', danger: 'chooses the program', isReadOnly: true },
    { name: 'isolation', kind: 'choice', choices: ['sandbox', 'home'], harmless: 'stricter', isReadOnly: false },
    { name: 'dangerous', inForce: 'false', choices: ['false'], isReadOnly: true },
    { name: 'allow', kind: 'other', harmless: 'fewer', isReadOnly: true },
    { name: 'httpPort', needsRestart: true, isReadOnly: false },
    { name: 'forwardTo', kind: 'other', isReadOnly: true },
  ])
})

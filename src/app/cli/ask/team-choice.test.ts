import { expect, test } from 'vitest'
import { lastOf } from './team-choice.ts'

const teams = ['backend', 'mobile', 'web'].map((value) => ({ value }))

test('the team of the directory is offered last, so that another one is chosen already', () => {
  const offered = (own?: string) => lastOf(teams, own).map(({ value }) => value)
  expect(offered('backend')).toEqual(['mobile', 'web', 'backend'])
  expect(offered()).toEqual(['backend', 'mobile', 'web'])
  expect(offered('elsewhere')).toEqual(['backend', 'mobile', 'web'])
})

import { expect, test } from 'vitest'
import { lineOf } from './line-of.ts'

const plain = (text: string) => ({ text, isMatch: false })
const match = (text: string) => ({ text, isMatch: true })

test.each([
  [[plain('by '), match('heron'), plain(' today')], 'by heron today'],
  [[plain('The certificate is rotated by a cron job named '), match('heron'), plain('.')], '…cron job named heron.'],
  [[plain('a text without a match')], 'a text without a match'],
  [[plain('x'.repeat(40)), match('heron')], `…${'x'.repeat(16)}heron`],
])('a found text begins near its match: %j', (snippet, line) => {
  expect(lineOf(snippet)).toBe(line)
})

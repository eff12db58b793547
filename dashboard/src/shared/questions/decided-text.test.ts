import { expect, test } from 'vitest'
import { decidedText, wantsText } from './decided-text.ts'

const use = (toolName: string) => ({ team: 'mobile', toolName })

test.each([
  ['Bash', 'mobile wants to run a command'],
  ['Edit', 'mobile wants to edit a file'],
  ['Write', 'mobile wants to write a file'],
  ['WebFetch', 'mobile wants to use WebFetch'],
  ['mcp__x__\u202ey', 'mobile wants to use mcp__x__‹U+202E›y'],
])('%s: %s', (tool, text) => expect(wantsText(use(tool))).toBe(text))

test.each([
  ['denied', 'owner', 'Bash', "You denied mobile's command."],
  ['allowed', 'owner', 'WebFetch', "You allowed mobile's use of WebFetch."],
  ['denied', 'telegram:42', 'Edit', "Telegram 42 denied mobile's edit."],
  ['allowed', 'forward:hooks.example.org', 'Write', "hooks.example.org allowed mobile's new file."],
  ['timed_out', 'iris', 'Bash', "Nobody answered in time: Iris denied mobile's command."],
  ['ended', 'iris', 'Bash', "No answer is needed any more: mobile's command."],
] as const)('what came of it: %s by %s, %s', (state, decidedBy, tool, text) =>
  expect(decidedText({ ...use(tool), state, decidedBy })).toBe(text),
)

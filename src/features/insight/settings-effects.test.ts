import { expect, test } from 'vitest'
import { addsUnknown } from './settings-effects.ts'

const unknown: Readonly<Record<string, [settings: unknown, isKnown: boolean]>> = {
  'a hook that may add to each prompt': [{ hooks: { UserPromptSubmit: [{ hooks: [] }] } }, false],
  'a hook at the start': [{ hooks: { SessionStart: [{ hooks: [] }] } }, false],
  'a hook of all tools': [{ hooks: { PostToolUse: [{ hooks: [] }] } }, false],
  'a hook of reading': [{ hooks: { PreToolUse: [{ matcher: 'Edit|Read' }] } }, false],
  'a hook of a pattern': [{ hooks: { PreToolUse: [{ matcher: 'R.*' }] } }, false],
  'a hook of an event that is not known': [{ hooks: { Whatever: [{ hooks: [] }] } }, false],
  'a hook of other tools': [{ hooks: { PostToolUse: [{ matcher: 'Edit|Write' }] } }, true],
  'a hook of which no model hears': [{ hooks: { Notification: [{ hooks: [] }] } }, true],
  'a plugin': [{ enabledPlugins: { 'a@b': true } }, false],
  'a plugin that is off': [{ enabledPlugins: { 'a@b': false } }, true],
  'a style': [{ outputStyle: 'Brief' }, false],
  permissions: [{ permissions: { allow: ['Read'] } }, true],
  'what is no JSON object': [[], false],
}

test.each(Object.entries(unknown))('with settings that have %s', (_what, [settings, isKnown]) => {
  expect(addsUnknown(JSON.stringify(settings))).toBe(!isKnown)
})

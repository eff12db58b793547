import { expect, test } from 'vitest'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import { type Key, type Pressed, press } from './keys.ts'
import { nothingSeen, type Seen } from './state.ts'
import { activePane, chosenSession, firstView, type View } from './view.ts'

const session = (sessionId: string, more: Partial<SwitchboardSession> = {}) =>
  [sessionId, { sessionId, from: sessionId, to: 'x', thread: 'main', processState: 'idle', ...more }] as const

const question = (permissionId: string, rule: string | null = 'Bash(x)') =>
  ({ permissionId, rule, state: 'pending' }) as PermissionView

const seen: Seen = {
  ...nothingSeen,
  sessions: new Map([session('a'), session('b'), session('c')] as [string, SwitchboardSession][]),
  questions: [question('one'), question('two', null)],
}

const keyOf = (text: string): Key =>
  text.length > 1 ? { name: text as Key['name'], text: '' } : { name: 'text', text }

/** Keys one after the other: names, or characters. */
function pressed(keys: readonly string[], { of = seen, lastTop = 10, view = firstView } = {}): Pressed {
  return keys.reduce<Pressed>((before, key) => press(before.view, keyOf(key), of, lastTop), { view })
}

test('tab goes round the panes, both ways', () => {
  const panes = ['tab', 'tab', 'tab', 'tab'].map((_, count) => pressed(Array(count + 1).fill('tab')).view.pane)
  expect(panes).toEqual(['live', 'questions', 'log', 'sessions'])
  expect(pressed(['back-tab']).view.pane).toBe('log')
})

test('arrows and letters choose a conversation and stop at both ends; before that one that works is chosen', () => {
  expect(pressed(['down']).view.sessionId).toBe('b')
  expect(pressed(['j', 'j', 'j', 'j']).view.sessionId).toBe('c')
  expect(pressed(['j', 'up', 'k']).view.sessionId).toBe('a')
  const sessions = new Map([session('a'), session('b', { runningTurnId: 't' })] as [string, SwitchboardSession][])
  expect(chosenSession({ ...seen, sessions }, firstView)?.sessionId).toBe('b')
})

test('enter opens the live text of a conversation, esc goes back to the list', () => {
  const { view } = pressed(['down', 'enter'])
  expect([activePane(view), view.sessionId]).toEqual(['live', 'b'])
  const back = pressed(['escape'], { view }).view
  expect([activePane(back), back.sessionId]).toEqual(['sessions', 'b'])
})

test('what is scrolled back stays, and at its end it is followed again', () => {
  const back = pressed(['tab', 'k', 'k'])
  expect(back.view.top).toBe(8)
  expect(pressed(['j'], { view: back.view, lastTop: 20 }).view.top).toBe(9)
  expect(pressed(['j', 'j'], { view: back.view }).view.top).toBeUndefined()
  expect(pressed(['tab', 'page-up', 'page-up', 'page-down'], { lastTop: 25 }).view.top).toBe(15)
})

test.each([
  ['a', { decision: 'once' }],
  ['s', { decision: 'session' }],
  ['p', { decision: 'pair' }],
  ['w', { decision: 'always' }],
])('in an opened question %s answers it', (key, action) => {
  const { view, action: done } = pressed(['tab', 'tab', 'enter', key])
  expect(done).toEqual({ kind: 'answer', question: seen.questions[0], reason: '', ...action })
  expect(activePane(view)).toBe('questions')
  expect(view.opened).toBeUndefined()
})

test('a question that is not opened is answered by no key, and one without a rule only once', () => {
  for (const key of ['a', 's', 'p', 'w', 'd']) {
    const { view, action } = pressed(['tab', 'tab', key])
    expect([view.reason, action]).toEqual([undefined, undefined])
  }
  const second = ['tab', 'tab', 'down', 'enter']
  expect(pressed([...second, 's']).action).toBeUndefined()
  expect(pressed([...second, 'a']).action).toMatchObject({ question: { permissionId: 'two' } })
})

test('a denial is typed with its reason; esc takes it back, and no letter of it is a key', () => {
  const typing = ['tab', 'tab', 'enter', 'd', 'q', 'a', '?', 'backspace', ' ']
  expect(pressed(typing)).toMatchObject({ view: { reason: 'qa ', isHelp: false } })
  expect(pressed([...typing, 'enter']).action).toMatchObject({ decision: 'deny', reason: 'qa' })
  expect(pressed([...typing, 'escape'])).toEqual({
    view: expect.objectContaining({ reason: undefined, opened: 'questions' }),
  })
})

test('when the opened question is decided elsewhere, no key answers another one', () => {
  const { view } = pressed(['tab', 'tab', 'enter'])
  const of = { ...seen, questions: seen.questions.slice(1) }
  for (const keys of [['a'], ['d'], ['d', 'enter']]) expect(pressed(keys, { of, view }).action).toBeUndefined()
  const typing = pressed(['d', 'n', 'o'], { view }).view
  expect(pressed(['enter'], { of, view: typing }).action).toBeUndefined()
})

test('what is pasted is no key, but may be a reason', () => {
  const opened = pressed(['tab', 'tab', 'enter']).view
  const paste: Key = { name: 'paste', text: 'a' }
  expect(press(opened, paste, seen, 0)).toEqual({ view: opened })
  const typing: View = { ...opened, reason: 'be' }
  expect(press(typing, paste, seen, 0).view.reason).toBe('bea')
})

test('? shows the keys and any way back hides them; q leaves from everywhere', () => {
  const help = pressed(['?']).view
  expect(help.isHelp).toBe(true)
  for (const key of ['?', 'escape', 'a']) expect(pressed([key], { view: help }).view.isHelp).toBe(false)
  for (const view of [firstView, help, pressed(['tab', 'tab', 'enter']).view]) {
    expect(pressed(['q'], { view }).action).toEqual({ kind: 'leave' })
  }
})

test('what came of an answer stands until the next key', () => {
  const view = { ...firstView, note: 'Allowed: Bash of backend.' }
  expect(pressed(['tab'], { view }).view.note).toBe('')
})

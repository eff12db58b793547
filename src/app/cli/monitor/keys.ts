import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { Decision } from '../../../features/permission/commands/decide.ts'
import { listed, type Seen } from './state.ts'
import { activePane, chosenQuestion, chosenSession, panes, type View } from './view.ts'

/** A pressed key, or pasted text, which has no effect as a key. */
export interface Key {
  readonly name:
    | 'up'
    | 'down'
    | 'page-up'
    | 'page-down'
    | 'tab'
    | 'back-tab'
    | 'enter'
    | 'escape'
    | 'backspace'
    | 'text'
    | 'paste'
  readonly text: string
}

/** An effect outside the screen, caused by a key, or by a question that arrives when none was waiting. */
export type Action =
  | { readonly kind: 'leave' }
  | { readonly kind: 'ring' }
  | {
      readonly kind: 'answer'
      readonly question: PermissionView
      readonly decision: Decision
      /** Sent to the agent with a denial; may be empty. */
      readonly reason: string
    }

export interface Pressed {
  readonly view: View
  readonly action?: Action
}

/** The answer that each key gives to an opened question. */
export const answerKeys: Readonly<Record<string, Decision>> = {
  a: 'once',
  s: 'session',
  p: 'pair',
  w: 'always',
  d: 'deny',
}

const pageRows = 10

/** The effect of a key. `lastTop` is the last row that can become the top row of the active pane. */
export function press(before: View, key: Key, seen: Seen, lastTop: number): Pressed {
  const view: View = { ...before, note: '' }
  if (view.reason !== undefined) return typed(view, view.reason, key, seen)
  if (key.name === 'paste') return { view: before }
  if (key.text === 'q') return { view, action: { kind: 'leave' } }
  if (view.isHelp || key.text === '?') return { view: { ...view, isHelp: !view.isHelp } }
  if (key.name === 'tab') return { view: turned(view, 1) }
  if (key.name === 'back-tab') return { view: turned(view, -1) }
  if (key.name === 'escape') return { view: { ...view, opened: undefined, top: undefined } }
  if (key.name === 'enter') return { view: opened(view, seen) }
  if (key.name === 'up' || key.text === 'k') return { view: moved(view, -1, seen, lastTop) }
  if (key.name === 'down' || key.text === 'j') return { view: moved(view, 1, seen, lastTop) }
  if (key.name === 'page-up') return { view: moved(view, -pageRows, seen, lastTop) }
  if (key.name === 'page-down') return { view: moved(view, pageRows, seen, lastTop) }
  return view.opened === 'questions' ? answered(view, key.text, seen) : { view }
}

function turned(view: View, by: number): View {
  const next = (panes.indexOf(activePane(view)) + by + panes.length) % panes.length
  return { ...view, pane: panes[next]!, opened: undefined, top: undefined }
}

function opened(view: View, seen: Seen): View {
  if (view.opened !== undefined) return view
  if (view.pane === 'questions') {
    const question = chosenQuestion(seen, view)
    return question ? { ...view, opened: 'questions', permissionId: question.permissionId, top: undefined } : view
  }
  const pane = view.pane === 'sessions' ? 'live' : view.pane
  return { ...view, opened: pane, sessionId: chosenSession(seen, view)?.sessionId, top: undefined }
}

function moved(view: View, by: number, seen: Seen, lastTop: number): View {
  const active = activePane(view)
  if (active === 'sessions') {
    const ids = listed(seen).map(({ sessionId }) => sessionId)
    return { ...view, sessionId: neighbour(ids, chosenSession(seen, view)?.sessionId, by), top: undefined }
  }
  if (active === 'questions' && view.opened === undefined) {
    const ids = seen.questions.map(({ permissionId }) => permissionId)
    return { ...view, permissionId: neighbour(ids, chosenQuestion(seen, view)?.permissionId, by) }
  }
  if (active === 'questions') return { ...view, top: Math.max(0, Math.min(lastTop, (view.top ?? 0) + by)) }
  // When scrolled to its end, the view follows a growing text again.
  const top = Math.max(0, (view.top ?? lastTop) + by)
  return { ...view, top: top >= lastTop ? undefined : top }
}

function neighbour(ids: readonly string[], id: string | undefined, by: number): string | undefined {
  const place = id === undefined ? -1 : ids.indexOf(id)
  return ids[Math.max(0, Math.min(ids.length - 1, place + by))]
}

function answered(view: View, text: string, seen: Seen): Pressed {
  const question = chosenQuestion(seen, view)
  const decision = Object.hasOwn(answerKeys, text) ? answerKeys[text] : undefined
  if (question === undefined || decision === undefined) return { view }
  if (decision === 'deny') return { view: { ...view, reason: '' } }
  // A lasting answer needs a rule.
  if (decision !== 'once' && question.rule === null) return { view }
  return { view: answering(view), action: { kind: 'answer', question, decision, reason: '' } }
}

function typed(view: View, reason: string, { name, text }: Key, seen: Seen): Pressed {
  if (name === 'escape') return { view: { ...view, reason: undefined } }
  if (name === 'backspace') return { view: { ...view, reason: withoutLast(reason) } }
  if (name === 'text' || name === 'paste') return { view: { ...view, reason: (reason + text).slice(0, 2000) } }
  if (name !== 'enter') return { view }
  const question = chosenQuestion(seen, view)
  if (question === undefined) return { view: { ...view, reason: undefined } }
  return { view: answering(view), action: { kind: 'answer', question, decision: 'deny', reason: reason.trim() } }
}

/** Removes the last grapheme. */
function withoutLast(text: string): string {
  const last = Array.from(new Intl.Segmenter().segment(text)).at(-1)
  return text.slice(0, last?.index ?? 0)
}

/** Returns to the list of questions. */
function answering(view: View): View {
  return { ...view, opened: undefined, permissionId: undefined, reason: undefined, top: undefined }
}

import { shownPair } from '../../../base/protocol/pair.ts'
import { standingOf } from '../../../base/protocol/standing.ts'
import { wrapped } from '../wrapped.ts'
import { footerLine, headerLine, titleLine } from './frame-lines.ts'
import { helpLines } from './help-pane.ts'
import { type Area, layout, type Size } from './layout.ts'
import type { Line } from './line.ts'
import { dim, plain } from './line.ts'
import { liveLines } from './live-pane.ts'
import { logLines } from './log-pane.ts'
import { choiceText, openedLines, questionLines, questionTitle } from './question-pane.ts'
import { sessionLines } from './session-pane.ts'
import { listed, type Seen } from './state.ts'
import { activePane, chosenQuestion, chosenSession, type Pane, type View } from './view.ts'

export interface Shown {
  readonly seen: Seen
  readonly view: View
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Everything on the screen; the columns fill the space between header and footer. */
export interface Picture {
  readonly header: Line
  readonly columns: readonly { readonly width: number; readonly lines: readonly Line[] }[]
  readonly footer: Line
}

/** Everything that a screen of that size shows. */
export function pictureOf(shown: Shown, size: Size): Picture {
  const { seen, view, now } = shown
  return {
    header: headerLine(seen, now, size.columns),
    columns: areasOf(shown, size).map((areas) => ({
      width: areas[0]!.width,
      lines: areas.flatMap((area) => paneLines(shown, area)),
    })),
    footer: footerLine(seen, view, size.columns),
  }
}

/** The last row of the active pane's text that can become the top row. */
export function lastTopOf(shown: Shown, size: Size): number {
  const area = areasOf(shown, size)
    .flat()
    .find(({ pane }) => pane === activePane(shown.view))
  if (area === undefined) return 0
  return Math.max(0, textLines(shown, area).length - roomIn(shown, area))
}

function areasOf({ seen, view }: Shown, size: Size): readonly (readonly Area[])[] {
  return layout(size, view, { sessions: listed(seen).length, questions: seen.questions.length })
}

/** A pane with its title, exactly as high as its area. */
function paneLines(shown: Shown, area: Area): readonly Line[] {
  const { view } = shown
  if (area.height === 0) return []
  const isActive = activePane(view) === area.pane
  if (view.isHelp && isActive)
    return filled([titleLine('Keys', true, area.width), ...helpLines(area.width)], area.height)
  const lines = isList(shown, area.pane) ? listLines(shown, area) : scrolled(shown, area, isActive)
  return filled([titleLine(titleOf(shown, area), isActive, area.width), ...lines], area.height)
}

function isList({ view }: Shown, pane: Pane): boolean {
  return pane === 'sessions' || (pane === 'questions' && view.opened !== 'questions')
}

function listLines({ seen, view, now }: Shown, { pane, width, height }: Area): readonly Line[] {
  return pane === 'sessions'
    ? sessionLines(seen, view, now, width, height - 1)
    : questionLines(seen, view, now, height - 1)
}

/** The visible part of a text. A growing text shows its end; a question shows its first row first. */
function scrolled(shown: Shown, area: Area, isActive: boolean): readonly Line[] {
  const lines = textLines(shown, area)
  const room = roomIn(shown, area)
  const last = Math.max(0, lines.length - room)
  const top = Math.min(last, (isActive ? shown.view.top : undefined) ?? (area.pane === 'questions' ? 0 : last))
  return [...filled(lines.slice(top, top + room), room), ...choiceLines(shown, area)]
}

function textLines({ seen, view, now }: Shown, { pane, width }: Area): readonly Line[] {
  switch (pane) {
    case 'live':
      return liveLines(seen, view, width)
    case 'log':
      return logLines(seen)
    case 'questions':
      return view.opened === 'questions' ? openedLines(seen, view, now, width) : []
    case 'sessions':
      return []
  }
}

function roomIn(shown: Shown, area: Area): number {
  return Math.max(0, area.height - 1 - choiceLines(shown, area).length)
}

/** The answers below an opened question, where there is room; the footer names the keys too. */
function choiceLines({ seen, view }: Shown, { pane, width, height }: Area): readonly Line[] {
  if (pane !== 'questions' || view.opened !== 'questions' || height < 14) return []
  const question = chosenQuestion(seen, view)
  return question === undefined
    ? []
    : [
        '',
        ...choiceText(question)
          .split('\n')
          .flatMap((choice) =>
            wrapped(choice, Math.max(1, width - 4)).map((row, index) => (index === 0 ? `  ${row}` : `    ${row}`)),
          ),
      ].map(plain)
}

function titleOf(shown: Shown, area: Area): string {
  const { seen, view } = shown
  switch (area.pane) {
    case 'sessions':
      return seen.knows.sessions ? `Conversations ${listed(seen).length}` : 'Conversations: loading'
    case 'live': {
      const session = chosenSession(seen, view)
      return session === undefined ? 'Live' : `${shownPair(session)} · ${standingOf(session)}`
    }
    case 'log':
      return 'Log'
    case 'questions': {
      if (view.opened !== 'questions') {
        if (seen.questions.length > 0) return `Requests ${seen.questions.length}`
        return seen.knows.questions ? 'No open requests' : 'Requests: loading'
      }
      const more = textLines(shown, area).length - roomIn(shown, area) - (view.top ?? 0)
      return `${questionTitle(chosenQuestion(seen, view))}${more > 0 ? ` · ${more} more rows below` : ''}`
    }
  }
}

function filled(lines: readonly Line[], height: number): readonly Line[] {
  return Array.from({ length: height }, (_, row) => lines[row] ?? dim(''))
}

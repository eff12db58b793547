import { activePane, type Pane, type View } from './view.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** The size of a pane, its title included. */
export interface Area {
  readonly pane: Pane
  readonly width: number
  readonly height: number
}

/** Below this size only the active pane is shown. */
const minRows = 14
const minColumns = 50
/** From this width on, panes are side by side. */
const wideColumns = 120

/** The panes between the first row and the last one: columns side by side, with one blank between them. */
export function layout(
  { columns, rows }: Size,
  view: View,
  count: { readonly sessions: number; readonly questions: number },
): readonly (readonly Area[])[] {
  const height = Math.max(0, rows - 2)
  const isSmall = height < minRows || columns < minColumns
  if (view.opened !== undefined || view.isHelp || isSmall) return [[{ pane: activePane(view), width: columns, height }]]
  const questions = 1 + Math.min(count.questions, Math.floor(height / 5))
  const log = 1 + Math.floor(height / 5)
  if (columns < wideColumns) {
    const sessions = 1 + Math.max(1, Math.min(count.sessions, Math.floor(height / 4)))
    return [stacked(columns, { sessions, live: height - sessions - questions - log, questions, log })]
  }
  const left = Math.floor(columns * 0.45)
  const right = columns - left - 1
  return [stacked(left, { sessions: height - questions, questions }), stacked(right, { live: height - log, log })]
}

function stacked(width: number, heights: Readonly<Partial<Record<Pane, number>>>): readonly Area[] {
  return Object.entries(heights).map(([pane, height]) => ({ pane: pane as Pane, width, height }))
}

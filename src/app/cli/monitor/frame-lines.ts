import { counted } from '../counted.ts'
import { cutTo, endOf, widthOf } from '../wrapped.ts'
import { ageText, dim, type Line, plain, type Span } from './line.ts'
import type { Seen } from './state.ts'
import { chosenQuestion, type View } from './view.ts'

/** The first row: the pool, what waits, problems, and whether the daemon is there. */
export function headerLine(seen: Seen, now: number, width: number): Line {
  const { pool, sessions, questions, connection, lostAt, configProblem, claudeProblem } = seen
  const queued = [...sessions.values()].reduce((sum, { queueLength }) => sum + queueLength, 0)
  const left: Line = [
    { text: ' Iris', bold: true },
    { text: seen.knows.sessions ? `  ${pool.activeProcesses} of ${pool.maxProcesses} awake` : '  loading' },
    ...(queued > 0 ? [{ text: `  ${queued} queued`, color: 'cyan' } as const] : []),
    ...(questions.length > 0
      ? [{ text: `  ${counted(questions.length, 'request')}`, color: 'yellow', bold: true } as const]
      : []),
    ...(configProblem === undefined ? [] : [{ text: '  config not in force', color: 'red' } as const]),
    ...(claudeProblem === undefined ? [] : [{ text: '  Claude Code changed', color: 'yellow' } as const]),
  ]
  return spread(left, connectionSpan(connection, lostAt === undefined ? 0 : now - lostAt), width)
}

function connectionSpan(connection: Seen['connection'], goneMs: number): Span {
  switch (connection) {
    case 'live':
      return { text: '● live ', color: 'green' }
    case 'connecting':
      return { text: '○ connecting ', dim: true }
    case 'lost':
      return { text: `✕ Iris stopped (${ageText(goneMs)}); waiting for it to return `, color: 'red', bold: true }
    case 'refused':
      return { text: '✕ Iris refuses this terminal: iris doctor ', color: 'red', bold: true }
  }
}

/** The last row: the result of an answer, or the keys that work here. */
export function footerLine(seen: Seen, view: View, width: number): Line {
  // The end of the typed text stays visible.
  if (view.reason !== undefined) return plain(` Why not? ${endOf(view.reason, Math.max(1, width - 12))}▏`)
  if (view.note !== '') return plain(` ${view.note}`)
  const question = view.opened === 'questions' ? chosenQuestion(seen, view) : undefined
  const lasting = (question?.rule ?? null) === null ? [] : ['s conversation', 'p pair', 'w always']
  if (question) return keysLine(['a once', ...lasting, 'd no', '↑↓ scroll', 'esc back', '? keys'], width)
  if (view.opened !== undefined || view.isHelp)
    return keysLine(['↑↓ scroll', 'esc back', 'tab pane', '? keys', 'q quit'], width)
  return keysLine(['tab pane', '↑↓ choose', 'enter open', '? keys', 'q quit'], width)
}

/** Keys that everybody knows, or that `?` shows, in the order in which they are dropped where room is short. */
const droppable = [
  '↑↓ scroll',
  '↑↓ choose',
  'esc back',
  'tab pane',
  'enter open',
  'w always',
  'p pair',
  's conversation',
]

function keysLine(keys: readonly string[], width: number): Line {
  const text = ` ${keys.join('  ')}`
  const dropped = widthOf(text) > width ? droppable.find((key) => keys.includes(key)) : undefined
  return dropped === undefined
    ? dim(text)
    : keysLine(
        keys.filter((key) => key !== dropped),
        width,
      )
}

/** The rule above a pane, heavy above the pane that gets the keys. */
export function titleLine(title: string, isActive: boolean, width: number): Line {
  const rule = isActive ? '━' : '─'
  const text = `${rule} ${cutTo(title, width - 3)} `
  return [{ text: text + rule.repeat(Math.max(0, width - widthOf(text))), bold: isActive, dim: !isActive }]
}

/** Where room is short, drops the last spans on the left: the state of the connection matters most. */
function spread(left: Line, right: Span, width: number): Line {
  const gap = width - [...left, right].reduce((sum, { text }) => sum + widthOf(text), 0)
  if (gap < 1) return left.length === 0 ? [right] : spread(left.slice(0, -1), right, width)
  return [...left, { text: ' '.repeat(gap) }, right]
}

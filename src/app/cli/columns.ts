import { terminalSafe } from '../../base/lib/visible.ts'
import { padded, widthOf } from './wrapped.ts'

/**
 * Formats rows as lines; a cell is as wide as the widest of its column and stays on one line. If the terminal is too
 * narrow, every row breaks between cells onto several lines.
 */
export function columns(width: number, rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => terminalSafe(cell.replace(/\s+/g, ' '))))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return lines.every((line) => widthOf(line) <= width) ? lines : cells.flatMap((row) => folded(row, width))
}

/** Formats rows in the same way, but indented below a title. */
export function indentedColumns(width: number, rows: readonly (readonly string[])[]): readonly string[] {
  return columns(width - 2, rows).map((line) => `  ${line}`)
}

function folded(row: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const cell of row.filter((each) => each !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 2 + widthOf(cell) <= width) lines[lines.length - 1] = `${last}  ${cell}`
    else lines.push(last === undefined ? cell : `  ${cell}`)
  }
  return lines
}

import type { Output } from '../../shared/api/operations.ts'

export type Row = Output<'list_inbox'>['rows'][number]

/** A message that this tab retried: its row as it was, and where it was in the list. */
export interface Retrying {
  readonly turnId: string
  readonly row: Row
  readonly place: number
}

/** The list, in which the rows of messages that are being retried keep their former places. Pure. */
export function withRetrying(rows: readonly Row[], retrying: readonly Retrying[]): readonly Row[] {
  const missing = retrying.filter(({ row }) => !rows.some(({ session }) => session.sessionId === row.session.sessionId))
  return missing
    .toSorted((a, b) => a.place - b.place)
    .reduce<readonly Row[]>((all, { row, place }) => all.toSpliced(place, 0, row), rows)
}

/** Whether the row says how the new try ended. Pure. */
export function saysTheEnd(rows: readonly Row[], { turnId, row }: Retrying): boolean {
  const now = rows.find(({ session }) => session.sessionId === row.session.sessionId)
  return now?.items.some((item) => item.turnId === turnId) ?? false
}

import type { Input, Output } from '../api/operations.ts'

type Row = Output<'list_inbox'>['rows'][number]

/** Items of one conversation that are marked together, in their state before the mark. */
export interface MarkedItems {
  readonly sessionId: string
  readonly items: readonly Pick<Row['items'][number], 'subject' | 'state' | 'until'>[]
}

export interface Marking {
  readonly rows: readonly MarkedItems[]
  readonly change: { readonly state: 'done' | 'new' } | { readonly state: 'later'; readonly until: number }
  /** What has happened, in words. */
  readonly said: string
}

export interface Undo {
  /** Settles when Iris has received the mark. */
  readonly sent: Promise<void>
  readonly marks: readonly Input<'mark_inbox'>[]
}

/** The marks that bring everything back into the state in which it was. Pure. */
export function marksBack(rows: readonly MarkedItems[]): readonly Input<'mark_inbox'>[] {
  const items = rows.flatMap((row) => row.items)
  return [...Map.groupBy(items, ({ state, until = '' }) => `${state} ${until}`).values()].map((same) => {
    const { state, until } = same[0]!
    const subjects = same.map(({ subject }) => subject)
    return until === undefined ? { subjects, state } : { subjects, state, until }
  })
}

/** The list as it will be once these conversations have left it. Pure. */
export function withoutRows(
  data: Output<'list_inbox'> | undefined,
  gone: ReadonlySet<string>,
): Output<'list_inbox'> | undefined {
  return data && { ...data, rows: data.rows.filter(({ session }) => !gone.has(session.sessionId)) }
}

type Item = Row['items'][number]

/** The items that can be marked done: answers, failures, events without a message, and things that expired. */
export function doableItems({ items }: Pick<Row, 'items'>): readonly Item[] {
  return items.filter(({ kind, state }) => state !== 'done' && ['answer', 'failed', 'expired', 'event'].includes(kind))
}

/** Whether a row leaves the list when it is marked done, because nothing in it must be answered first. */
export function canBeDone(row: Pick<Row, 'items'>): boolean {
  const open = row.items.filter(({ state }) => state !== 'done')
  return open.length > 0 && doableItems(row).length === open.length
}

export function openItems({ items }: Pick<Row, 'items'>): readonly Item[] {
  return items.filter(({ state }) => state !== 'done')
}

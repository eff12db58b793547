import { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../platform/store/database.ts'
import { firstSince } from '../../platform/store/first-since.ts'
import { allOf, conditionsOf } from '../../platform/store/session-filter.ts'
import { divided } from './divided.ts'
import { type Expression, expressionOf } from './expression.ts'
import { openIndex, removeIndex } from './index-file.ts'
import type { Found, Hit, SearchQuery } from './search-result.ts'
import { Snippets } from './snippets.ts'

/** The maximum number of new turns, and of ended turns, that one call of `takeIn` indexes. */
const batch = 100
/** How many matching texts to check for one page if the query has a filter. */
const maxLookedAt = 5000

interface TurnTexts {
  readonly sequence: number
  readonly id: string
  readonly message: string
  readonly answer: string | null
  readonly state: string
}

type Facts = Omit<Hit, 'where' | 'at' | 'snippet'> & {
  readonly sequence: number
  readonly acceptedAt: number
  readonly settledAt: number | null
}

/**
 * A full-text index of the messages and answers of all conversations. Reads the store and never writes it: the index
 * has its own file. The rowid of a message is twice the sequence of its turn; that of its answer is one more.
 */
export class SearchIndex {
  readonly #store: DatabaseSync
  readonly #index: DatabaseSync
  readonly #snippets: Snippets
  readonly #statements

  constructor(storePath: string, indexPath: string) {
    this.#store = new DatabaseSync(storePath, { readOnly: true })
    this.#index = openIndex(indexPath)
    if (!isOfThisStore(this.#index, this.#store)) {
      this.#index.close()
      removeIndex(indexPath)
      this.#index = openIndex(indexPath)
    }
    this.#snippets = new Snippets(this.#index)
    this.#statements = prepare(this.#store, this.#index)
  }

  /** Indexes a batch of new texts. Returns whether there may be more. */
  takeIn(): boolean {
    const { progress, newTurns, unended, ended, add, wait, done, forget, remember } = this.#statements
    const seen = Number(progress.get()?.['sequence'] ?? 0)
    const open = unended.all().map(({ sequence }) => sequence)
    const answered = ended.all(JSON.stringify(open), batch) as unknown as TurnTexts[]
    const turns = newTurns.all(seen, batch) as unknown as TurnTexts[]
    if (turns.length + answered.length === 0) return false
    transaction(this.#index, () => {
      for (const { sequence, message } of turns) add.run(2 * sequence, divided(message))
      for (const { sequence, answer, state } of [...answered, ...turns]) {
        if (state !== 'settled') wait.run(sequence)
        else if (answer !== null) add.run(2 * sequence + 1, divided(answer))
      }
      for (const { sequence } of answered) done.run(sequence)
      const last = turns.at(-1)
      if (last === undefined) return
      forget.run()
      remember.run(last.sequence, last.id)
    })
    return turns.length === batch || answered.length === batch
  }

  find({ text, filter, limit, before }: SearchQuery): Omit<Found, 'isIndexing'> {
    const expression = expressionOf(text)
    if (expression === undefined) return { hits: [], next: undefined }
    const { since, ...which } = filter
    const isFiltered = Object.values(which).some((value) => value !== undefined && value.length > 0)
    const lookedAt = isFiltered ? maxLookedAt : limit + 1
    const places = this.#statements.fitting
      // A BigInt, because Node binds numbers as fractions, and FTS5 would read every match for a fraction.
      .all(expression.all, BigInt(before ?? Number.MAX_SAFE_INTEGER), BigInt(this.#firstPlaceSince(since)), lookedAt)
      .map(({ place }) => Number(place))
    const facts = this.#factsOf(places, { ...which, since: undefined })
    const found = places.filter((place) => facts.has(sequenceOf(place)))
    const shown = found.slice(0, limit)
    return {
      hits: this.#hits(expression, shown, facts),
      next: found.length > limit ? shown.at(-1) : places.length === lookedAt ? places.at(-1) : undefined,
    }
  }

  close(): void {
    this.#index.close()
    this.#store.close()
  }

  #firstPlaceSince(since: number | undefined): number {
    return since === undefined ? 0 : 2 * firstSince(this.#store, since)
  }

  /** The facts of the turns that match the filter, by sequence. Turns no longer in the store are missing. */
  #factsOf(places: readonly number[], filter: SearchQuery['filter']): ReadonlyMap<number, Facts> {
    const { sql, values } = allOf(conditionsOf(filter))
    const rows = this.#store
      .prepare(
        `SELECT sequence, turns.id AS turnId, session_id AS sessionId, from_team AS "from", to_team AS "to", thread,
           accepted_at AS acceptedAt, settled_at AS settledAt
         FROM json_each(?) AS found CROSS JOIN turns ON sequence = found.value CROSS JOIN team_sessions ON team_sessions.id = session
         WHERE ${sql}`,
      )
      .all(JSON.stringify([...new Set(places.map(sequenceOf))]), ...values) as unknown as Facts[]
    return new Map(rows.map((row) => [row.sequence, row]))
  }

  #hits(expression: Expression, places: readonly number[], facts: ReadonlyMap<number, Facts>): Hit[] {
    const texts = new Map(
      places.map((place) => {
        const row = this.#statements.texts.get(sequenceOf(place)) as { message: string; answer: string | null }
        return [place, isAnswer(place) ? (row.answer ?? '') : row.message]
      }),
    )
    const snippets = this.#snippets.of(expression, texts)
    return places.map((place) => {
      const { sequence: _, acceptedAt, settledAt, ...whose } = facts.get(sequenceOf(place))!
      return {
        ...whose,
        where: isAnswer(place) ? 'answer' : 'message',
        at: isAnswer(place) ? (settledAt ?? acceptedAt) : acceptedAt,
        snippet: snippets.get(place) ?? [],
      }
    })
  }
}

function isAnswer(place: number): boolean {
  return place % 2 === 1
}

function sequenceOf(place: number): number {
  return Math.floor(place / 2)
}

/** False after the store was rebuilt: it then has other turns under the same sequences. */
function isOfThisStore(index: DatabaseSync, store: DatabaseSync): boolean {
  const last = index.prepare('SELECT sequence, turn FROM progress').get()
  if (last === undefined) return true
  return store.prepare('SELECT id FROM turns WHERE sequence = ?').get(Number(last['sequence']))?.['id'] === last['turn']
}

function prepare(store: DatabaseSync, index: DatabaseSync) {
  const columns = 'sequence, turns.id, message, COALESCE(answer, partial) AS answer, state'
  return {
    newTurns: store.prepare(`SELECT ${columns} FROM turns WHERE sequence > ? ORDER BY sequence LIMIT ?`),
    ended: store.prepare(
      `SELECT ${columns} FROM json_each(?) AS open CROSS JOIN turns ON sequence = open.value WHERE state = 'settled' LIMIT ?`,
    ),
    texts: store.prepare('SELECT message, COALESCE(answer, partial) AS answer FROM turns WHERE sequence = ?'),
    progress: index.prepare('SELECT sequence FROM progress'),
    forget: index.prepare('DELETE FROM progress'),
    remember: index.prepare('INSERT INTO progress (sequence, turn) VALUES (?, ?)'),
    unended: index.prepare('SELECT sequence FROM unended'),
    wait: index.prepare('INSERT INTO unended (sequence) VALUES (?)'),
    done: index.prepare('DELETE FROM unended WHERE sequence = ?'),
    add: index.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)'),
    fitting: index.prepare(
      'SELECT rowid AS place FROM texts WHERE texts MATCH ? AND rowid < ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?',
    ),
  }
}

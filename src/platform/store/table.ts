import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges } from 'node:sqlite'

/**
 * A column of a table or an expression of a SELECT, with the type of its field. Made by `text`, `number`, `flag` and
 * `json`.
 */
export interface Column<Value> {
  /** How the value is stored in SQLite: unchanged, as 0 or 1, or as JSON. NULL is null in all of them. */
  readonly kind: 'plain' | 'flag' | 'json'
  /** If undefined, the column with the field's name in snake case. */
  readonly sql: string | undefined
  /** Never set; carries the type. */
  readonly type?: Value
}

/** Columns by the fields of a row. */
export type Columns = Readonly<Record<string, Column<unknown>>>

/** The type of a row as it is read from a selection or a table. */
export type RowOf<From extends { readonly columns: Columns }> = FieldsOf<From['columns']>

type FieldsOf<From extends Columns> = {
  readonly [Name in keyof From]: From[Name] extends Column<infer Value> ? Value : never
}

type Parameter = SQLInputValue | Readonly<Record<string, SQLInputValue>>

/** A prepared statement that returns rows. */
export interface Query<Row> {
  get(...values: readonly Parameter[]): Row | undefined
  all(...values: readonly Parameter[]): Row[]
  /** Reads one row at a time. Use it only on a plain connection, because a `Store` does not guard it. */
  iterate(...values: readonly Parameter[]): Iterable<Row>
}

/**
 * `sql`: an expression, or the column's name if it differs from the field's. The same applies to the next three
 * functions.
 */
export function text(sql?: string): Column<string>
export function text<Value extends string | null>(sql?: string): Column<Value>
export function text(sql?: string): Column<string> {
  return { kind: 'plain', sql }
}

export function number(sql?: string): Column<number>
export function number<Value extends number | null>(sql?: string): Column<Value>
export function number(sql?: string): Column<number> {
  return { kind: 'plain', sql }
}

/** A column of bytes. */
export function blob(sql?: string): Column<Uint8Array> {
  return { kind: 'plain', sql }
}

/** A column with a boolean. */
export function flag(sql?: string): Column<boolean>
export function flag<Value extends boolean | null>(sql?: string): Column<Value>
export function flag(sql?: string): Column<boolean> {
  return { kind: 'flag', sql }
}

/** A value that is stored as JSON. For a column that may be NULL, `Value` includes null. */
export function json<Value>(sql?: string): Column<Value> {
  return { kind: 'json', sql }
}

/** What a SELECT reads. One declaration covers its columns, their types and their decoding. */
export class Selection<From extends Columns> {
  readonly columns: From
  /** The list of a SELECT, or of RETURNING. */
  readonly list: string
  readonly #decoded: readonly (readonly [string, (stored: SQLOutputValue) => unknown])[]

  constructor(columns: From) {
    this.columns = columns
    const all = Object.entries(columns)
    this.list = all.map(([name, { sql = snakeCase(name) }]) => (sql === name ? sql : `${sql} AS "${name}"`)).join(', ')
    this.#decoded = all.flatMap(([name, { kind }]) => (kind === 'plain' ? [] : [[name, decoders[kind]] as const]))
  }

  /** Only these columns, for another selection. */
  pick<Name extends keyof From>(...names: readonly Name[]): Pick<From, Name> {
    return Object.fromEntries(names.map((name) => [name, this.columns[name]])) as Pick<From, Name>
  }

  /** All other columns, for another selection. */
  omit<Name extends keyof From>(...names: readonly Name[]): Omit<From, Name> {
    const others = Object.entries(this.columns).filter(([name]) => !names.includes(name as Name))
    return Object.fromEntries(others) as Omit<From, Name>
  }

  /** Prepares a SELECT of the list; `rest` begins with FROM. */
  select(database: DatabaseSync, rest: string): Query<FieldsOf<From>> {
    return this.prepare(database, `SELECT ${this.list} ${rest}`)
  }

  /** Prepares any statement that returns the list, such as one with WITH or RETURNING. */
  prepare(database: DatabaseSync, sql: string): Query<FieldsOf<From>> {
    const statement = database.prepare(sql)
    // The type checker cannot see that the rows match the list; the caller's SQL has to ensure it.
    if (this.#decoded.length === 0) return statement as unknown as Query<FieldsOf<From>>
    const plain = statement as unknown as Query<Raw>
    return {
      get: (...values) => {
        const raw = plain.get(...values)
        return raw && this.#read(raw)
      },
      all: (...values) => plain.all(...values).map((raw) => this.#read(raw)),
      iterate: (...values) => this.#each(plain.iterate(...values)),
    }
  }

  *#each(rows: Iterable<Raw>): Iterable<FieldsOf<From>> {
    for (const raw of rows) yield this.#read(raw)
  }

  #read(raw: Raw): FieldsOf<From> {
    const row: Record<string, unknown> = { ...raw }
    for (const [name, decode] of this.#decoded) row[name] = decode(raw[name]!)
    return row as FieldsOf<From>
  }
}

/**
 * A table: its name and its columns, which are declared only here. A test compares the columns with the newest schema.
 */
export class Table<From extends Columns> extends Selection<From> {
  readonly name: string

  constructor(name: string, columns: From) {
    super(columns)
    this.name = name
  }

  /** Prepares an INSERT of these columns. `end`, such as ON CONFLICT, follows the values. */
  insert<Name extends keyof From & string>(database: DatabaseSync, given: Pick<From, Name>, end = '') {
    const statement = database.prepare(`${this.#into(given)} ${end}`)
    const values = valuesOf(given)
    return { run: (row: FieldsOf<Pick<From, Name>>): StatementResultingChanges => statement.run(...values(row)) }
  }

  /** Prepares an INSERT of these columns that returns those of `made` as they are stored. */
  insertReturning<Name extends keyof From & string, Made extends Columns>(
    database: DatabaseSync,
    given: Pick<From, Name>,
    made: Selection<Made>,
  ) {
    const statement = made.prepare(database, `${this.#into(given)} RETURNING ${made.list}`)
    const values = valuesOf(given)
    return { get: (row: FieldsOf<Pick<From, Name>>): FieldsOf<Made> => statement.get(...values(row))! }
  }

  /**
   * Prepares an UPDATE of these columns. `rest` follows the assignments; it can contain further assignments and WHERE.
   * Its parameters come after the row.
   */
  update<Name extends keyof From & string>(database: DatabaseSync, given: Pick<From, Name>, rest: string) {
    const set = namesOf(given).map((name) => `${name} = ?`)
    const statement = database.prepare(`UPDATE ${this.name} SET ${set.join(', ')}${rest}`)
    const values = valuesOf(given)
    return {
      run: (row: FieldsOf<Pick<From, Name>>, ...others: readonly SQLInputValue[]): StatementResultingChanges =>
        statement.run(...values(row), ...others),
    }
  }

  #into(given: Columns): string {
    const names = namesOf(given)
    return `INSERT INTO ${this.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  }
}

/** The names of columns in the schema. */
export function namesOf(columns: Columns): readonly string[] {
  return Object.entries(columns).map(([name, { sql = snakeCase(name) }]) => sql)
}

/** The values to bind, in the order of the columns. */
function valuesOf(columns: Columns): (row: Readonly<Record<string, unknown>>) => SQLInputValue[] {
  const fields = Object.entries(columns)
  return (row) => fields.map(([name, { kind }]) => encode(kind, row[name]))
}

type Raw = Readonly<Record<string, SQLOutputValue>>

const decoders = {
  flag: (stored: SQLOutputValue): boolean | null => (stored === null ? null : stored === 1),
  json: (stored: SQLOutputValue): unknown => (stored === null ? null : JSON.parse(String(stored))),
}

function encode(kind: Column<unknown>['kind'], value: unknown): SQLInputValue {
  if (kind === 'plain' || value === null) return value as SQLInputValue
  return kind === 'flag' ? Number(value) : JSON.stringify(value)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

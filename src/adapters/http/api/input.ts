import { z } from 'zod'

type Schema = { readonly type?: unknown; readonly anyOf?: readonly Schema[]; readonly items?: unknown }

/** Converts the text of a query according to the contract: `limit=5` becomes a number, `status=a&status=b` a list. */
export class QueryReader {
  readonly #input: z.ZodObject
  #known: Readonly<Record<string, Schema>> | undefined

  constructor(input: z.ZodObject) {
    this.#input = input
  }

  /**
   * Made at the first query, because there is a reader for each operation, and a daemon starts faster without their
   * fields.
   */
  get #fields(): Readonly<Record<string, Schema>> {
    this.#known ??= fieldsOf(this.#input)
    return this.#known
  }

  /** A value of the wrong type stays text, which the contract then refuses. A repeated field becomes a list. */
  read(query: Readonly<Record<string, readonly string[]>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(query).map(([name, texts]) => {
        const values = texts.map((text) => valueOf(text, this.#fields[name]))
        return [name, values.length === 1 && !isOnlyList(this.#fields[name]) ? values[0] : values]
      }),
    )
  }
}

function fieldsOf(input: z.ZodObject): Readonly<Record<string, Schema>> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return properties as Readonly<Record<string, Schema>>
}

function isOnlyList(field: Schema | undefined): boolean {
  return field?.type === 'array'
}

function valueOf(text: string, field: Schema | undefined): unknown {
  const types = (field?.anyOf ?? [field]).map((each) => each?.type)
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text)
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
